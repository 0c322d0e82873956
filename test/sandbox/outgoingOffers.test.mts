/** Offers from the account to partners: they wait for the partner, and cost nothing. */
import { describe, expect, test } from 'vitest';

import {
	callApi,
	control,
	getError,
	matching,
	openSandbox,
	openSandboxWithReceiver,
} from './harness.mts';

const mine = 'https://mine.example';

describe('an outgoing offer', () => {
	test('is listed from one of your sites to a partner, without a field for the direction', async () => {
		const sandbox = await openSandbox();
		sandbox.addSite({ url: mine, niche: 'x' });
		const incoming = sandbox.requestOffer();
		const outgoing = sandbox.offerToPartner();
		const { json } = await callApi(sandbox, 'GET /exchanges?status=pending');
		const { exchanges } = json as { exchanges: Record<string, unknown>[] };
		expect(exchanges).toMatchObject([
			{ id: incoming.id, from_site: 'https://partner.example/', to_site: mine },
			{ id: outgoing.id, from_site: mine, to_site: 'https://partner.example/' },
		]);
		expect(Object.keys(exchanges[1] ?? {})).toEqual(Object.keys(exchanges[0] ?? {}));
		expect(exchanges[0]).not.toHaveProperty('direction');
	});

	test.each(['409', '404', '200', 'charged'] as const)(
		'rejects an accept with 409 in every status (acceptAgain=%s)',
		async (acceptAgain) => {
			const sandbox = await openSandbox({ dialect: { acceptAgain } });
			const { id } = sandbox.offerToPartner({ id: 'out', toSite: 'https://their.example' });
			const accept = async () => {
				const answer = await callApi(sandbox, `POST /exchanges/${id}/accept`);
				return { status: answer.status, ...getError(answer) };
			};
			expect(await accept()).toEqual({
				status: 409,
				code: 'exchange_not_incoming',
				message: matching(/ out is your own offer .*https:\/\/their\.example can accept/),
			});
			sandbox.partnerAccepts(id);
			expect(await accept()).toMatchObject({ status: 409, code: 'exchange_not_incoming' });
			expect([sandbox.books.balance(), sandbox.books.acceptCount(id)]).toEqual([100, 0]);
		},
	);

	test('becomes accepted and live without credits, and sends the events of both', async () => {
		const { sandbox } = await openSandboxWithReceiver({ credits: 0 });
		const { id } = sandbox.offerToPartner({ fromSite: mine });
		expect(sandbox.partnerAccepts()).toMatchObject({ id, status: 'accepted' });
		const { liveUrl } = sandbox.publish(id);
		expect(liveUrl).toMatch(/^https:\/\/mine\.example\//);
		await sandbox.settled();
		const { books } = sandbox;
		expect(books.deliveries().map(({ event, state }) => [event, state])).toEqual([
			['exchange.accepted', 'delivered'],
			['exchange.published', 'delivered'],
		]);
		expect(books.ledger()).toEqual([]);
	});

	test('is accepted by its partner only once, and an incoming one never', async () => {
		const sandbox = await openSandbox();
		expect(() => sandbox.partnerAccepts()).toThrow('None of your offers');
		const incoming = sandbox.requestOffer();
		expect(() => sandbox.partnerAccepts(incoming.id)).toThrow('Only you can accept it');
		const { id } = sandbox.offerToPartner();
		sandbox.partnerAccepts(id);
		expect(() => sandbox.partnerAccepts(id)).toThrow(/is accepted\. .*pending/);
		expect(sandbox.books.exchange(incoming.id).status).toBe('pending');
	});

	test('is created and accepted through the control, each with another partner', async () => {
		const sandbox = await openSandbox({ seed: 'demo' });
		const before = sandbox.books.exchanges(undefined, 'outgoing').length;
		const created = await control(sandbox, '/outgoing-offers');
		await control(sandbox, '/outgoing-offers', { fromSite: mine, anchor: 'words' });
		const outgoing = sandbox.books.exchanges(undefined, 'outgoing');
		expect(outgoing).toHaveLength(before + 2);
		expect(outgoing.at(-1)).toMatchObject({ fromSite: mine, anchor: 'words', cost: 0 });
		expect(new Set(outgoing.map(({ toSite }) => toSite)).size).toBe(outgoing.length);
		const own = sandbox.books.sites().map(({ url }) => url);
		expect(own).toContain(outgoing.at(-2)?.fromSite);
		expect(created.json).toEqual({
			message: matching(/^Your offer: .+ offers a link to /),
		});
		const [oldest] = sandbox.books.exchanges('pending', 'outgoing');
		expect((await control(sandbox, '/partner-accepts')).json).toEqual({
			message: matching(/^The partner .+ accepted your offer/),
		});
		expect(sandbox.books.exchange(oldest?.id ?? '').status).toBe('accepted');
		expect((await control(sandbox, '/outgoing-offers', { cost: 5 })).status).toBe(400);
	});

	test('is never the subject of a test event exchange.requested', async () => {
		const { sandbox, receiver } = await openSandboxWithReceiver();
		const incoming = sandbox.requestOffer();
		sandbox.offerToPartner();
		await sandbox.sendTestEvent('exchange.requested');
		expect(receiver.received.at(-1)?.json).toMatchObject({ id: incoming.id });
	});
});
