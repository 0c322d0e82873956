/** IDs that JavaScript can't represent as numbers: each stays the ID of its own exchange. */
import { expect, test } from 'vitest';

import { mockExchanges } from './action/acceptFixtures.mts';
import { useVirtualTime } from './virtualTime.mts';
import { deliver, runs, setUp } from './webhook/setup.mts';

useVirtualTime();

const ids = ['9007199254740992', '9007199254740993'];

test('Accept Many accepts the offer of the partner that is allowed', async () => {
	const records = ids.map((id) => {
		const partner = `https://partner-${id.slice(-3)}.example`;
		return `{"id":${id},"from_site":"${partner}","to_site":"https://own.example","anchor":"tea","status":"pending"}`;
	});
	const service = mockExchanges({ list: () => `{"exchanges":[${records.join()}]}` });
	const settings = { acceptFrom: 'listed', allowedPartners: 'partner-993.example' };
	const { decisions } = await service.acceptMany(settings);
	expect(decisions).toMatchObject([
		{ exchangeId: ids[0], outcome: 'needsReview' },
		{ exchangeId: ids[1], outcome: 'accepted' },
	]);
	expect(service.postedIds).toEqual(['9007199254740993']);
});

test('the webhook trigger gives each exchange its own key', async () => {
	const server = await setUp();
	for (const id of ids) {
		await deliver(server, `{"event":"exchange.accepted","data":{"id":${id},"accepted_at":null}}`);
	}
	expect(runs(server)).toBe(2);
	const keys = server.executions.flat().map(({ eventKey }) => eventKey);
	expect(keys).toEqual(ids.map((id) => `exchange.accepted:${id}`));
});
