import { expect, test } from 'vitest';

import { examine } from './examine.mts';

/** The whole campaign: npm run test:long -- campaign. */
const histories = 60;

test(
	'in random histories, what the node says and spends agrees with the books of the service',
	{ timeout: 600_000 },
	async () => {
		const examined = await examine(1, histories);
		expect(examined).toMatchObject({ contradiction: undefined, histories });
		expect(examined.paid).toBeGreaterThan(histories);
	},
);
