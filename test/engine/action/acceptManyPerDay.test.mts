/** Max per Day counts what was accepted within 24 hours, by whomever, and fails closed where it cannot be counted. */
import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, minute, pending, post, posts, serviceByHand } from './accepts.mts';

const time = useVirtualTime();
const gone = '{"error":{"code":"offer_expired","message":"It is gone."}}';

test('Max per Day counts what was accepted elsewhere, and what this process has accepted', async () => {
	const service = await testService({ credits: 1000, dialect: { exchangeList: 'pending-only' } });
	const options = { maxPerDay: 3 };
	const early = service.sandbox.requestOffer();
	service.sandbox.requestOffer();
	expect((await service.acceptMany({ options: { ...options, maxAccepts: 1 } })).outcomes).toEqual([
		'accepted',
		'skipped',
	]);
	expect(service.sandbox.books.acceptsOf(early.id)).toBe(1);
	// The list shows it no more; the node remembers.
	service.sandbox.setDialect({ exchangeList: 'all' });
	const elsewhere = service.sandbox.requestOffer();
	service.sandbox.accept(elsewhere.id);
	for (let count = 0; count < 3; count++) service.sandbox.requestOffer();
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

test('Max per Day counts a time of acceptance that cannot be read as today, and says so', async () => {
	const accepted = pending({ status: 'accepted', accepted_at: 'a while ago' });
	const offer = pending();
	const service = await serviceByHand({ list: () => [accepted, offer] });
	const { outcomes, hints } = await service.acceptMany({ options: { maxPerDay: 1 } });
	expect([outcomes, service.posted]).toEqual([['skipped'], []]);
	expect(hints[0]?.message).toContain('counts it as accepted today');
});

test.each([
	['basic ISO 8601', (time: Date) => time.toISOString().replaceAll(/[-:]|\.\d+/g, '')],
	['the form of mail', (time: Date) => time.toUTCString().replace('GMT', '+0000')],
	['the form of mail, without a weekday', (time: Date) => time.toUTCString().slice(5)],
])('Max per Day counts a time of acceptance in %s by what it says', async (_, write) => {
	const accepted = (hoursAgo: number) => {
		const accepted_at = write(new Date(Date.now() - hoursAgo * 3_600_000));
		return pending({ status: 'accepted', accepted_at });
	};
	const list = [accepted(1), accepted(25), pending(), pending()];
	const service = await localService(json(list, { date: new Date().toUTCString() }));
	const options = { maxPerDay: 2 };
	const { outcomes, hints } = await service.acceptMany({ dryRun: true, options });
	expect([outcomes, hints]).toEqual([['wouldAccept', 'skipped'], []]);
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
	let offer = pending();
	const isFirst = (id: string) => id === first;
	const first = offer.id;
	const service = await serviceByHand({
		list: () => [offer],
		accept: (id, response) =>
			isFirst(id) ? void response.writeHead(500).end() : { id, status: 'accepted' },
	});
	const options = { maxPerDay: 1 };
	expect((await service.acceptMany({ options })).outcomes).toEqual(['unknown']);
	offer = pending();
	expect((await service.acceptMany({ options })).outcomes).toEqual(['skipped']);
	await time.wait(25 * 3_600_000);
	expect((await service.acceptMany({ options })).outcomes).toEqual(['accepted']);
});

test.each([0, -30, 30])(
	'Max per Day holds where the clock of the service differs by %i hours',
	async (hours) => {
		const now = new Date(Date.now() + hours * 3_600_000);
		const accepted = pending({ status: 'accepted', accepted_at: now.toISOString() });
		const list = json([accepted, pending()], { date: now.toUTCString() });
		const service = await localService(list);
		const { outcomes } = await service.acceptMany({ options: { maxPerDay: 1 } });
		expect(outcomes).toEqual(['skipped']);
	},
);

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
	test('refused but accepted counts', async () => {
		const service = await testService({ credits: 1000, dialect: charging });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		service.sandbox.addFault({ kind: 'error-after-commit', status: 409, ...post });
		const { outcomes } = await service.acceptMany({ options: { maxPerDay: 1 } });
		expect(outcomes).toEqual(['alreadyAccepted', 'skipped', 'skipped']);
		expect(service.sandbox.books.balance()).toBe(990);
	});
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
