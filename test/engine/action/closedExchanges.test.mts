/** Exchanges with a status other than the documented ones: neither offers nor errors. */
import { expect, test } from 'vitest';

import { startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { mockExchanges, pending } from './acceptFixtures.mts';

useVirtualTime();

const statuses = ['declined', 'expired', 'Withdrawn'];
const closed = statuses.map((status) => pending({ status }));

test('Accept Many accepts what is pending, and returns no closed exchange', async () => {
	const offer = pending({ id: 'exc_open' });
	const service = mockExchanges({ list: () => [...closed, offer] });
	const { decisions } = await service.acceptMany({ options: { offersToReturn: 'all' } });
	expect(decisions).toMatchObject([{ exchangeId: 'exc_open', outcome: 'accepted' }]);
	expect(service.postedIds).toEqual(['exc_open']);
});

test('Accept Many accepts nothing that is both pending and closed', async () => {
	const id = 'exc_both';
	for (const both of [
		['pending', 'expired'],
		['expired', 'pending'],
	]) {
		const list = () => both.map((status) => pending({ id, status }));
		const service = mockExchanges({ list });
		expect((await service.acceptMany({ options: { offersToReturn: 'all' } })).decisions).toEqual(
			[],
		);
		expect(service.postedIds).toEqual([]);
	}
});

test('the list of pending offers leaves closed exchanges out', async () => {
	const offers = [pending({ id: 'exc_open' }), pending({ id: 'exc_bare', status: undefined })];
	const service = mockExchanges({ list: () => [...closed, ...offers] });
	const listed = await service.search('searchPendingOffers');
	expect(listed.map(({ value }) => value)).toEqual(['exc_open', 'exc_bare']);
});

test('Get Summary counts closed exchanges by themselves', async () => {
	const exchanges = [...closed, pending()];
	const service = mockExchanges({ list: () => exchanges });
	const { items } = await service.run('account', 'getSummary');
	expect(items[0]?.json).toMatchObject({ pendingIncoming: 1, closed: 3 });
	expect(items[0]?.json.message).toContain(
		"Offers: 1 pending from partners, 0 accepted that aren't published yet, and 3 closed.",
	);
});

test('a record without a status has the status that its list was filtered by', async () => {
	const { accept } = await startStubServer(({ url = '' }, response) => {
		// The list of all exchanges leaves it out.
		const exchanges = url.includes('status=accepted') ? [{ id: 'exc_1' }] : [];
		response.end(JSON.stringify({ exchanges, sites: [] }));
	});
	expect((await accept('exc_1')).decisions).toMatchObject([
		{ exchangeId: 'exc_1', outcome: 'accepted' },
	]);
});
