import { expect, test } from 'vitest';

import { examine } from './examine.mts';

/** The whole campaign: npm run campaign. */
const histories = 60;

test(
	'in random histories, what the node says and spends agrees with the books of the service',
	{ timeout: 600_000 },
	async () => {
		const { findings, ...examined } = await examine(1, histories);
		expect(findings).toEqual([]);
		expect(examined.histories).toBe(histories);
		expect(examined.paid).toBeGreaterThan(histories);
	},
);
