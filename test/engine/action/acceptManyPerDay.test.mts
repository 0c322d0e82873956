/** Max per Day counts what was accepted within 24 hours, by whomever, and fails closed where it cannot be counted. */
import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { minute, pending, post, posts, serviceByHand } from './accepts.mts';

const time = useVirtualTime();
const gone = '{"error":{"code":"offer_expired","message":"It is gone."}}';

test('Max per Day counts what was accepted elsewhere, and what this process has accepted', async () => {
	const service = await testService({ credits: 1000, dialect: { exchangeList: 'pending-only' } });
	for (let count = 0; count < 2; count++) service.sandbox.requestOffer();
	const first = await service.acceptMany({ options: { maxPerDay: 3, maxAccepts: 1 } });
	expect(first.outcomes).toEqual(['accepted', 'skipped']);
	// The list shows it no more; the node remembers.
	service.sandbox.setDialect({ exchangeList: 'all' });
	service.sandbox.accept(service.sandbox.requestOffer().id);
	for (let count = 0; count < 3; count++) service.sandbox.requestOffer();
	const options = { maxPerDay: 3 };
	const { decisions, outcomes } = await service.acceptMany({ options });
	expect(outcomes.filter((each) => each === 'accepted').length).toBe(1);
	expect(decisions.at(-1)).toMatchObject({
		outcome: 'skipped',
		reason: 'Max per Day (3) is reached',
	});
	await time.wait(25 * 3_600_000);
	const nextDay = await service.acceptMany({ options });
	expect(nextDay.outcomes).toEqual(['accepted', 'accepted', 'accepted']);
});

test.each([
	['is cut off', 'accepted', true],
	['leaves out a state', 'live', false],
])('Max per Day counts what a list that %s shows only per status', async (_, shown, has_more) => {
	const accepted_at = new Date().toISOString();
	const accepted = [1, 2].map(() => pending({ status: 'accepted', accepted_at }));
	const whole = { exchanges: [pending(), { ...accepted[0], status: shown }], has_more };
	const service = await localService((request, response) => {
		const status = request.url?.split('?status=')[1];
		const part = status === 'accepted' ? accepted : [];
		json(status === undefined || status === 'pending' ? whole : part)(request, response);
	});
	const { outcomes, hints } = await service.acceptMany({ options: { maxPerDay: 2 } });
	expect(outcomes).toEqual(['skipped']);
	const blocked = 'No further offer can be accepted now: Max per Day (2) is reached';
	expect(hints.length).toBe(Number(has_more) + 1);
	expect(hints.at(-1)?.message).toBe(blocked);
});

test('Max per Day counts a time of acceptance by what it says', async () => {
	const accepted = (hoursAgo: number) => {
		const moment = new Date(Date.now() - hoursAgo * 3_600_000);
		return pending({ status: 'accepted', accepted_at: moment.toUTCString().slice(5) });
	};
	const list = [accepted(1), accepted(25), pending(), pending()];
	const service = await localService(json(list, { date: new Date().toUTCString() }));
	const options = { maxPerDay: 2 };
	const { outcomes, hints } = await service.acceptMany({ dryRun: true, options });
	expect([outcomes, hints]).toEqual([['wouldAccept', 'skipped'], []]);
});

test.each([
	['that cannot be read, and says so', 'a while ago', 0, /counts it as accepted today/],
	['by any clock of the service', undefined, 0, /is reached$/],
	['by a clock that is behind', undefined, -30, /is reached$/],
	['by a clock that is ahead', undefined, 30, /is reached$/],
])('Max per Day counts a time of acceptance %s', async (_, written, hoursAhead, hint) => {
	const now = new Date(Date.now() + hoursAhead * 3_600_000);
	const accepted = pending({ status: 'accepted', accepted_at: written ?? now.toISOString() });
	const list = json([accepted, pending()], { date: now.toUTCString() });
	const service = await localService(list);
	const { outcomes, hints } = await service.acceptMany({ options: { maxPerDay: 1 } });
	expect(outcomes).toEqual(['skipped']);
	expect(hints[0]?.message).toMatch(hint);
});

test('Max per Day that cannot be counted, because every list is cut off, lets nothing through', async () => {
	const list = { exchanges: [pending()], has_more: true };
	const service = await serviceByHand({ list: () => list });
	const { error } = await service.acceptMany({ options: { maxPerDay: 2 } });
	expect(error?.message).toBe('Max per Day cannot be counted');
	expect(service.posted).toEqual([]);
	const { outcomes, hints } = await service.acceptMany();
	expect([outcomes, hints.length]).toEqual([['accepted'], 1]);
});

test('Max per Day counts what is in doubt for 24 hours, although no list shows it any more', async () => {
	const offers = [pending(), pending()];
	const [first, second] = offers;
	const service = await serviceByHand({
		list: () => [offers[0]],
		accept: (id, response) =>
			id === first?.id ? void response.writeHead(500).end() : { id, status: 'accepted' },
	});
	const run = async () => (await service.acceptMany({ options: { maxPerDay: 1 } })).outcomes;
	expect(await run()).toEqual(['unknown']);
	offers.shift();
	expect(await run()).toEqual(['skipped']);
	await time.wait(25 * 3_600_000);
	expect(await run()).toEqual(['accepted']);
	expect(service.posted).toEqual([first?.id, second?.id]);
});

test('what the list for Max per Day shows as accepted is not sent, although the list before showed it as pending', async () => {
	const service = await testService({ latencyMilliseconds: 400 });
	const { id } = service.sandbox.requestOffer();
	const run = service.acceptMany({ options: { maxPerDay: 5 } });
	await time.wait(402);
	service.sandbox.accept(id);
	expect((await run).decisions).toEqual([]);
	expect(posts(service)).toEqual([]);
});

test('Max per Day counts what a dry run would accept, and nothing that has failed', async () => {
	const service = await testService({ credits: 1000 });
	for (let count = 0; count < 3; count++) service.sandbox.requestOffer();
	const dry = await service.acceptMany({ dryRun: true, options: { maxPerDay: 2 } });
	expect(dry.outcomes).toEqual(['wouldAccept', 'wouldAccept', 'skipped']);
	service.sandbox.addFault({ kind: 'answer-before-commit', status: 410, body: gone, ...post });
	const { outcomes } = await service.acceptMany({ options: { maxPerDay: 1 } });
	expect(outcomes).toEqual(['failed', 'accepted', 'skipped']);
});

test('what was accepted before is neither returned again nor "skipped" while the list still shows it as pending', async () => {
	const list = [pending(), pending()];
	const service = await serviceByHand({ list: () => list });
	await service.acceptMany();
	const later = { maxAccepts: 1, maxPerDay: 1, refusedAnchorWords: 'green' };
	const { outcomes } = await service.acceptMany({ options: later });
	expect(outcomes).toEqual([]);
	expect(service.posted.length).toBe(2);
});

test('Max per Day holds over executions at the same time, and over lists that show only what they are asked for', async () => {
	const dialect = { exchangeList: 'pending-unless-filtered' } as const;
	const service = await testService({ credits: 1000, dialect });
	const request = (toSite: string) => service.sandbox.requestOffer({ toSite }).id;
	for (const site of ['a', 'a', 'b', 'b']) request(`https://${site}.example`);
	service.sandbox.accept(request('https://a.example'));
	service.sandbox.publish(service.sandbox.accept(request('https://a.example')).id);
	const broken = service.sandbox.publish(service.sandbox.accept(request('https://a.example')).id);
	service.sandbox.breakLink(broken.id);
	const runs = ['a', 'b'].map(async (site) => {
		const options = { maxPerDay: 5, ownSites: `${site}.example` };
		return (await service.acceptMany({ options })).outcomes;
	});
	const outcomes = (await Promise.all(runs)).flat();
	expect(outcomes.filter((each) => each === 'accepted').length).toBe(2);
	expect(outcomes.filter((each) => each === 'skipped').length).toBe(2);
});

describe('Max per Day, and what is in doubt', () => {
	test('an offer in doubt is not "skipped", and not sent again beyond the limit', async () => {
		const service = await testService({ credits: 1000, dialect: { settlement: 'never' } });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		const one = await service.acceptMany({ options: { maxPerDay: 2 } });
		expect(one.outcomes).toEqual(['unknown', 'unknown', 'skipped']);
		for (const waited of [0, 2 * minute]) {
			await time.wait(waited);
			const two = await service.acceptMany({ options: { maxPerDay: 1 } });
			expect(two.outcomes).toEqual(['unknown', 'unknown', 'skipped']);
		}
		expect(posts(service).length).toBe(2);
		await service.acceptMany({ options: { maxPerDay: 2 } });
		expect(posts(service).length).toBe(4);
	});
	test.each([
		['its state cannot be read', { status: 'archived' }],
		['a rule refuses it', { anchor: 'casino' }],
	])('an offer in doubt is "unknown", although %s now', async (_, changed) => {
		const [first, second] = [pending(), pending()];
		let change = {};
		const service = await serviceByHand({
			list: () => [first, { ...second, ...change }],
			accept: (_id, response) => void response.writeHead(500).end(),
		});
		const options = { refusedAnchorWords: 'casino' };
		expect((await service.acceptMany({ options })).outcomes).toEqual(['unknown', 'unknown']);
		change = changed;
		const { outcomes } = await service.acceptMany({ options });
		expect(outcomes).toEqual(['unknown', 'unknown']);
		expect(service.posted).toEqual([first.id, second.id]);
	});
});
