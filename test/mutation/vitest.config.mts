/** What the mutation tests run: everything that exercises nodes/ in one process, in virtual time where it waits. */
import { readFileSync } from 'node:fs';

import { BaseSequencer, type TestSpecification } from 'vitest/node';

import base from '../../vitest.config.mts';
import type { Verdicts } from './mutants.mts';

const { files } = JSON.parse(readFileSync(process.env.MUTATION_VERDICTS ?? '', 'utf8')) as Verdicts;

const asked = (process.env.MUTATION_TESTS ?? '').split(',');

/** In the order in which they were asked for; unit tests first: they are the quickest to notice a change. */
class QuickestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const rank = ({ moduleId }: TestSpecification) =>
			2 * asked.findIndex((part) => moduleId.includes(part)) + Number(!moduleId.includes('/unit/'));
		return await Promise.resolve([...files].sort((one, other) => rank(one) - rank(other)));
	}
}

export default {
	...base,
	test: {
		...base.test,
		include: [
			'test/{unit,engine}/**/*.test.mts',
			'test/campaign/evidence.test.mts',
			// Takes seconds for each change.
			...(asked.includes('campaign') ? ['test/campaign/campaign.test.mts'] : []),
		],
		// In real time, or about the clock itself.
		exclude: ['test/engine/clock.test.mts', 'test/engine/action/realTime.test.mts', ...files],
		runner: 'test/mutation/runner.mts',
		maxWorkers: 1,
		maxConcurrency: 1,
		// Each test runs many times within it.
		testTimeout: 3_600_000,
		dangerouslyIgnoreUnhandledErrors: true,
		reporters: ['dot'],
		silent: true,
		sequence: { sequencer: QuickestFirst },
	},
};
