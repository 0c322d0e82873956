/** Dialects whose answers say less, or something else, than what happened: compared with the sandbox's books. */
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { type Dialect, singleVariants } from '../../sandbox/dialects.mts';
import type { Sandbox } from '../../sandbox/sandbox.mts';
import { temporaryFolder } from '../untilTheTestEnds.mts';
import { type Answer, ask, describeSetting, openBoth, openSandbox } from './harness.mts';

const noon = Date.UTC(2026, 6, 1, 12);

function listed(answer: Answer): string[] {
	return (answer.json as { exchanges: { id: string; status: string }[] }).exchanges.map(
		({ id, status }) => `${id} ${status}`,
	);
}

/** An exchange in each state, in the order of their ids: p pending, a accepted, l live, b broken. */
function oneOfEach(sandbox: Sandbox): void {
	for (const id of ['a', 'b', 'l', 'p']) sandbox.requestOffer({ id });
	for (const id of ['a', 'b', 'l']) sandbox.accept(id);
	for (const id of ['b', 'l']) sandbox.publish(id);
	sandbox.breakLink('b');
}

/** Of the five: all that is shown, and what is accepted. */
const lists = {
	all: ['a accepted', 'b broken', 'l live', 'p accepted', 'q pending'],
	lagging: ['a accepted', 'b broken', 'l live', 'p pending'],
	'pending-only': ['q pending'],
	'pending-unless-filtered': ['q pending'],
	'without-accepted': ['b broken', 'l live', 'q pending'],
};
describeSetting('exchangeList', lists, async (dialect, shown) => {
	let now = noon;
	const sandbox = await openSandbox({ dialect, clock: () => now });
	oneOfEach(sandbox);
	now += 30_000;
	sandbox.requestOffer({ id: 'q' });
	sandbox.accept('p');
	expect(listed(await ask(sandbox, 'GET /exchanges'))).toEqual(shown);
	const isUnfiltered = dialect.exchangeList === 'pending-unless-filtered';
	expect(listed(await ask(sandbox, 'GET /exchanges?status=accepted'))).toEqual(
		isUnfiltered ? ['a accepted', 'p accepted'] : shown.filter((each) => each.endsWith('accepted')),
	);
});

it('a list that lags goes through every state, each as late as the setting says', async () => {
	let now = noon;
	const sandbox = await openSandbox({
		dialect: { exchangeList: 'lagging', listLagSeconds: 10 },
		clock: () => now,
	});
	for (const [step, shown] of [
		[() => sandbox.requestOffer({ id: 'e' }), []],
		[() => sandbox.accept('e'), []],
		[() => sandbox.publish('e'), ['e pending']],
		[() => sandbox.breakLink('e'), ['e accepted']],
		[() => sandbox.publish('e'), ['e live']],
		[() => undefined, ['e broken']],
		[() => undefined, ['e live']],
	] as const) {
		step();
		expect(listed(await ask(sandbox, 'GET /exchanges'))).toEqual(shown);
		now += 6_000;
	}
});

it('a balance that lags shows what was paid as late as the setting says, and the ledger with it', async () => {
	let now = noon;
	const sandbox = await openSandbox({
		dialect: { balanceLagSeconds: 10 },
		credits: 30,
		clock: () => now,
	});
	sandbox.requestOffer({ id: 'e', cost: 10 });
	sandbox.accept('e');
	const shown = async () => {
		const { balance, lifetime_spent, ledger } = (await ask(sandbox, 'GET /credits/balance'))
			.json as { balance: number; lifetime_spent: number; ledger: unknown[] };
		return [balance, lifetime_spent, ledger.length];
	};
	expect(await shown()).toEqual([30, 0, 1]);
	now += 9_999;
	expect(await shown()).toEqual([30, 0, 1]);
	expect(sandbox.books.balance()).toBe(20);
	now += 1;
	expect(await shown()).toEqual([20, 10, 2]);
});

const records = {
	own: { id: 'e', status: 'accepted' },
	foreign: { id: 'other', status: 'pending' },
	'still-pending': { id: 'e', status: 'pending', accepted_at: null },
};
describeSetting('acceptRecord', records, async (dialect, record: object) => {
	const sandbox = await openSandbox({ dialect });
	for (const id of ['other', 'e']) sandbox.requestOffer({ id });
	const answer = await ask(sandbox, 'POST /exchanges/e/accept');
	expect([answer.status, answer.json]).toMatchObject([200, record]);
	expect(sandbox.books.exchange('e').status).toBe('accepted');
	expect(['e', 'other'].map((id) => sandbox.books.acceptsOf(id))).toEqual([1, 0]);
});

it('the record of an accept is foreign even where there is no other exchange', async () => {
	const sandbox = await openSandbox({ dialect: { acceptRecord: 'foreign' } });
	sandbox.requestOffer({ id: 'e' });
	expect((await ask(sandbox, 'POST /exchanges/e/accept')).json).not.toMatchObject({ id: 'e' });
});

it.each(singleVariants('errorStatus'))(
	'the code that service-api.md names stands where it says, and a token has a status of its own: $name',
	async ({ settings }) => {
		const sandbox = await openSandbox({ dialect: settings, credits: 0 });
		sandbox.requestOffer({ id: 'e', cost: 5 });
		const answer = await ask(sandbox, 'POST /exchanges/e/accept');
		const message = 'You need 5 credits to accept this exchange, but you have 0.';
		expect(answer.json).toMatchObject({ error: { code: 'insufficient_credits', message } });
		expect(sandbox.books.exchange('e').status).toBe('pending');
		expect((await ask(sandbox, 'GET /sites', { authorization: null })).status).toBe(401);
	},
);

/** A clock that the test moves, and a sandbox with one offer of 10 credits. */
async function unsettled(dialect: Partial<Dialect>, credits = 100) {
	const clock = { now: noon };
	const { sandbox } = await openBoth({ credits, clock: () => clock.now, dialect });
	sandbox.requestOffer({ id: 'e' });
	const accept = () => ask(sandbox, 'POST /exchanges/e/accept');
	const books = () => [sandbox.books.exchange('e').status, sandbox.books.acceptsOf('e')];
	return { clock, sandbox, accept, books };
}

const settlements = {
	'at-once': async (dialect: Partial<Dialect>) => {
		const { accept, books } = await unsettled(dialect);
		expect((await accept()).status).toBe(200);
		expect(books()).toEqual(['accepted', 1]);
	},
	later: async (dialect: Partial<Dialect>) => {
		const { clock, sandbox, accept, books } = await unsettled(dialect);
		const answer = await accept();
		expect([answer.status, answer.json]).toMatchObject([202, { id: 'e', status: 'pending' }]);
		clock.now += 4_999;
		expect(listed(await ask(sandbox, 'GET /exchanges'))).toEqual(['e pending']);
		expect(books()).toEqual(['pending', 0]);
		expect(sandbox.books.deliveries({ event: 'exchange.accepted' })).toEqual([]);
		clock.now += 1;
		expect(listed(await ask(sandbox, 'GET /exchanges'))).toEqual(['e accepted']);
		expect(books()).toEqual(['accepted', 1]);
		await sandbox.settled();
		expect(sandbox.books.deliveries({ event: 'exchange.accepted' })).toMatchObject([
			{ state: 'delivered' },
		]);
	},
	never: async (dialect: Partial<Dialect>) => {
		const { clock, sandbox, accept, books } = await unsettled(dialect);
		expect((await accept()).status).toBe(202);
		clock.now += 86_400_000;
		expect(listed(await ask(sandbox, 'GET /exchanges'))).toEqual(['e pending']);
		expect(books()).toEqual(['pending', 0]);
		expect((await accept()).status).toBe(202);
	},
};
describeSetting('settlement', settlements, (dialect, check) => check(dialect));

describe('settlement', () => {
	it('comes by itself when its time has come, and settled() waits for it', async () => {
		const { sandbox, accept, books } = await unsettled({
			settlement: 'later',
			settlementSeconds: 0,
		});
		await accept();
		await sandbox.settled();
		expect(books()).toEqual(['accepted', 1]);
	});

	it('answers a second accept meanwhile as any accept that is not the first', async () => {
		const refusing = await unsettled({ settlement: 'later', acceptAgain: '409' });
		await refusing.accept();
		expect((await refusing.accept()).status).toBe(409);
		const charging = await unsettled({ settlement: 'later', acceptAgain: '200-charged-again' });
		await charging.accept();
		await charging.accept();
		charging.clock.now += 5_000;
		await ask(charging.sandbox, 'GET /exchanges');
		expect(charging.books()).toEqual(['accepted', 2]);
	});

	it('lapses when the credits are gone by then, and the offer is pending as before', async () => {
		const { clock, sandbox, accept, books } = await unsettled({ settlement: 'later' }, 10);
		await accept();
		sandbox.setCredits(9);
		clock.now += 5_000;
		await ask(sandbox, 'GET /exchanges');
		expect(books()).toEqual(['pending', 0]);
		sandbox.setCredits(10);
		await accept();
		clock.now += 5_000;
		await ask(sandbox, 'GET /exchanges');
		expect(books()).toEqual(['accepted', 1]);
	});

	it('survives a restart', async () => {
		const data = join(temporaryFolder(), 'sandbox.sqlite');
		const first = await openSandbox({
			data,
			dialect: { settlement: 'later', settlementSeconds: 1 },
		});
		first.requestOffer({ id: 'e' });
		await ask(first, 'POST /exchanges/e/accept');
		await first.close();
		const second = await openSandbox({ data });
		await second.settled();
		expect(second.books.exchange('e').status).toBe('accepted');
		expect(second.books.acceptsOf('e')).toBe(1);
	});
});
