/** The ledger and the states, through any sequence of actions, and through a killed process. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

import fc from 'fast-check';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';

import { dialectVariants } from '../../sandbox/dialects.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { temporaryFolder } from '../untilTheTestEnds.mts';
import { ask } from './harness.mts';

type Status = 'pending' | 'accepted' | 'live' | 'broken';

interface Model {
	exchanges: { id: string; cost: number; status: Status; spent: number }[];
	earned: number;
	spent: number;
}

interface Action {
	kind: 'offer' | 'accept' | 'publish' | 'break' | 'credits' | 'acceptAgain' | 'unknown';
	/** Which exchange, how many credits, which variant: whatever the kind makes of it. */
	number: number;
}

const action: fc.Arbitrary<Action> = fc.record({
	kind: fc.constantFrom(
		'offer',
		'offer',
		'accept',
		'accept',
		'publish',
		'break',
		'credits',
		'acceptAgain',
		'unknown',
	),
	number: fc.nat({ max: 40 }),
});

describe('the account, whatever happens', () => {
	it('goes through the states pending → accepted → live ⇄ broken only, and its ledger adds up to its balance', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.nat({ max: 60 }),
				fc.array(action, { maxLength: 30 }),
				async (opening, actions) => {
					const sandbox = await startSandbox({
						credits: opening,
						limits: { perMinute: 1e6, perDay: 1e6 },
					});
					try {
						const model: Model = { exchanges: [], earned: opening, spent: 0 };
						for (const each of actions) {
							await apply(each, model, sandbox);
							await compare(model, sandbox);
						}
					} finally {
						await sandbox.close();
					}
				},
			),
			{ numRuns: 60 },
		);
	});

	it('has kept every answered accept exactly once after a kill at any moment', async () => {
		for (const answersBeforeKill of [1, 7, 40]) await acceptThenKill(answersBeforeKill);
	}, 60_000);
});

async function apply({ kind, number }: Action, model: Model, sandbox: Sandbox): Promise<void> {
	const exchange = model.exchanges[number % Math.max(1, model.exchanges.length)];
	const balance = model.earned - model.spent;
	switch (kind) {
		case 'offer': {
			const id = `e${model.exchanges.length}`;
			sandbox.requestOffer({ id, cost: number });
			model.exchanges.push({ id, cost: number, status: 'pending', spent: 0 });
			return;
		}
		case 'credits':
			sandbox.setCredits(number);
			if (number > balance) model.earned += number - balance;
			else model.spent += balance - number;
			return;
		case 'acceptAgain':
			sandbox.setDialect({
				acceptAgain: dialectVariants.acceptAgain[number % dialectVariants.acceptAgain.length],
			});
			return;
		case 'unknown':
			expect((await ask(sandbox, 'POST /exchanges/none/accept')).status).toBe(404);
			return;
	}
	if (!exchange) return;
	if (kind === 'accept') await accept(exchange, model, sandbox);
	else move(kind, exchange, sandbox);
}

async function accept(
	exchange: Model['exchanges'][number],
	model: Model,
	sandbox: Sandbox,
): Promise<void> {
	const { status } = await ask(sandbox, `POST /exchanges/${exchange.id}/accept`);
	const { acceptAgain } = sandbox.dialect();
	const pay = () => {
		exchange.spent += exchange.cost;
		model.spent += exchange.cost;
	};
	if (exchange.status !== 'pending') {
		expect(status).toBe(Number.parseInt(acceptAgain));
		if (acceptAgain === '200-charged-again') pay();
	} else if (model.earned - model.spent < exchange.cost) {
		expect(status).toBe(402);
	} else {
		expect(status).toBe(200);
		exchange.status = 'accepted';
		pay();
	}
}

function move(
	kind: 'publish' | 'break',
	exchange: Model['exchanges'][number],
	sandbox: Sandbox,
): void {
	const [from, to]: [Status[], Status] =
		kind === 'publish' ? [['accepted', 'broken'], 'live'] : [['live'], 'broken'];
	const act = () =>
		kind === 'publish' ? sandbox.publish(exchange.id) : sandbox.breakLink(exchange.id);
	if (from.includes(exchange.status)) {
		expect(act().status).toBe(to);
		exchange.status = to;
	} else expect(act).toThrow(`is ${exchange.status}. Only one that is`);
}

async function compare(model: Model, sandbox: Sandbox): Promise<void> {
	const { json } = await ask(sandbox, 'GET /credits/balance');
	const answer = json as {
		balance: number;
		lifetime_earned: number;
		lifetime_spent: number;
		ledger: { amount: number }[];
	};
	expect(answer.ledger.reduce((sum, { amount }) => sum + amount, 0)).toBe(answer.balance);
	expect(answer).toMatchObject({
		balance: model.earned - model.spent,
		lifetime_earned: model.earned,
		lifetime_spent: model.spent,
	});
	expect(sandbox.books.exchanges().map(({ id, status }) => ({ id, status }))).toEqual(
		model.exchanges.map(({ id, status }) => ({ id, status })),
	);
	for (const { id, spent } of model.exchanges) expect(sandbox.books.creditsSpentOn(id)).toBe(spent);
}

/** Accepts many offers at once at a sandbox in a process of its own, and kills that process after the given number of answers. */
async function acceptThenKill(answersBeforeKill: number): Promise<void> {
	const data = join(temporaryFolder(), 'sandbox.sqlite');
	const before = await startSandbox({ data, credits: 1000 });
	const ids = Array.from({ length: 80 }, () => before.requestOffer({ cost: 3 }).id);
	const { apiKey } = before;
	before.setPlan('agency');
	await before.close();

	const child = spawn(process.execPath, ['sandbox/main.mts', '--port', '0', '--data', data], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const exited = new Promise<NodeJS.Signals | null>((resolve) =>
		child.once('exit', (_code, signal) => {
			resolve(signal);
		}),
	);
	const origin = await new Promise<string>((resolve) => {
		child.stdout.on('data', (chunk: Buffer) => {
			const address = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString())?.[0];
			if (address) resolve(address);
		});
	});
	const pool = new Pool(origin, { connections: 8 });
	const answered: string[] = [];
	await Promise.allSettled(
		ids.map(async (id) => {
			const { statusCode, body } = await pool.request({
				method: 'POST',
				path: `/api/exchanges/${id}/accept`,
				headers: { authorization: `Bearer ${apiKey}` },
			});
			await body.dump();
			if (statusCode !== 200) throw new Error(`accept answered ${statusCode}`);
			answered.push(id);
			if (answered.length === answersBeforeKill) child.kill('SIGKILL');
		}),
	);
	expect(await exited).toBe('SIGKILL');
	await pool.destroy();

	const after = await startSandbox({ data });
	onTestFinished(() => after.close());
	const accepted = after.books.exchanges('accepted').map(({ id }) => id);
	expect(answered.length).toBeGreaterThanOrEqual(answersBeforeKill);
	expect(answered.length).toBeLessThan(ids.length);
	expect(accepted).toEqual(expect.arrayContaining(answered));
	expect(accepted.map((id) => after.books.acceptsOf(id))).toEqual(accepted.map(() => 1));
	expect(after.books.balance()).toBe(1000 - 3 * accepted.length);
	expect(after.books.requests({ status: 200 }).map(({ exchangeId }) => exchangeId)).toEqual(
		expect.arrayContaining(answered),
	);
	expect(
		after.books
			.deliveries({ event: 'exchange.accepted' })
			.map(({ exchangeId }) => exchangeId)
			.toSorted(),
	).toEqual(accepted.toSorted());
}
