/** The ledger and the states, through any sequence of actions. */
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { dialectVariants } from '../../sandbox/dialects.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
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

it('the account goes through the states pending → accepted → live ⇄ broken only, and its ledger adds up to its balance', async () => {
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
