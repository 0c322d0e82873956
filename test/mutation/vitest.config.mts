/** What the mutation tests run: everything that exercises nodes/ in one process, in virtual time. */
import base from '../../vitest.config.mts';

export default {
	...base,
	test: {
		...base.test,
		include: ['test/unit/**/*.test.mts', 'test/engine/**/*.test.mts'],
		exclude: ['test/engine/clock.test.mts', 'test/engine/action/realTime.test.mts'],
	},
};
