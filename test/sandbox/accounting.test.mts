/** The ledger and the states, for random sequences of actions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { dialectSettings } from '../../sandbox/dialects.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { callApi } from './harness.mts';

/** Expected state of the account. */
interface Model {
	exchanges: { id: string; cost: number; status: string; spent: number; isOutgoing?: boolean }[];
	earned: number;
	spent: number;
}

/** Possible actions; the number selects an exchange, an amount of credits or a variant. */
const actions: Record<
	string,
	(model: Model, sandbox: Sandbox, number: number) => Promise<void> | void
> = {
	offer: ({ exchanges }, sandbox, number) => {
		const id = `e${exchanges.length}`;
		const cost = number / 2;
		sandbox.requestOffer({ id, cost });
		exchanges.push({ id, cost, status: 'pending', spent: 0 });
	},
	offerToPartner: ({ exchanges }, sandbox) => {
		const id = `e${exchanges.length}`;
		sandbox.offerToPartner({ id });
		exchanges.push({ id, cost: 0, status: 'pending', spent: 0, isOutgoing: true });
	},
	partnerAccepts: ({ exchanges }, sandbox, number) => {
		const exchange = exchanges[number % exchanges.length];
		if (!exchange) return;
		const isPossible = exchange.isOutgoing && exchange.status === 'pending';
		const act = () => sandbox.partnerAccepts(exchange.id);
		if (isPossible) exchange.status = act().status;
		else expect(act).toThrow(/^The exchange e/);
	},
	credits: (model, sandbox, credits) => {
		sandbox.setCredits(credits);
		const more = credits - (model.earned - model.spent);
		if (more > 0) model.earned += more;
		else model.spent -= more;
	},
	acceptAgain: (_model, sandbox, number) => {
		const { variants } = dialectSettings.acceptAgain;
		sandbox.change({ dialect: { acceptAgain: variants[number % variants.length] } });
	},
	accept: async (model, sandbox, number) => {
		const exchange = model.exchanges[number % model.exchanges.length];
		const { status } = await callApi(sandbox, `POST /exchanges/${exchange?.id ?? 'none'}/accept`);
		if (!exchange) {
			expect(status).toBe(404);
			return;
		}
		const { acceptAgain } = sandbox.settings.dialect;
		const isFirst = exchange.status === 'pending';
		const lacksCredits = model.earned - model.spent < exchange.cost;
		if (exchange.isOutgoing) {
			expect(status).toBe(409);
			return;
		}
		const isCharged = isFirst || acceptAgain === 'charged';
		expect(status).toBe(!isCharged ? Number(acceptAgain) : lacksCredits ? 402 : 200);
		if (!isCharged || lacksCredits) return;
		if (isFirst) exchange.status = 'accepted';
		exchange.spent += exchange.cost;
		model.spent += exchange.cost;
	},
	publish: (model, sandbox, number) => {
		move(model, number, ['accepted', 'broken'], 'live', (id) => sandbox.publish(id));
	},
	break: (model, sandbox, number) => {
		move(model, number, ['live'], 'broken', (id) => sandbox.breakLink(id));
	},
};

function move(
	{ exchanges }: Model,
	number: number,
	from: string[],
	to: string,
	act: (id: string) => { status: string },
): void {
	const exchange = exchanges[number % exchanges.length];
	if (!exchange) return;
	if (from.includes(exchange.status)) {
		expect(act(exchange.id).status).toBe(to);
		exchange.status = to;
	} else {
		expect(() => act(exchange.id)).toThrow(`is ${exchange.status}.`);
	}
}

const action = fc.tuple(
	fc.constantFrom('offer', 'accept', ...Object.keys(actions)),
	fc.nat({ max: 40 }),
);

test('changes states only pending → accepted → live ⇄ broken, and the ledger sums to the balance', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.nat({ max: 60 }),
			fc.array(action, { maxLength: 30 }),
			async (credits, history) => {
				const limits = { perMinute: 1e6, perDay: 1e6 };
				const sandbox = await startSandbox({ credits, limits });
				try {
					const model: Model = { exchanges: [], earned: credits, spent: 0 };
					for (const [name, number] of history) {
						await actions[name]?.(model, sandbox, number);
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

async function compare({ exchanges, earned, spent }: Model, sandbox: Sandbox): Promise<void> {
	const { json } = await callApi(sandbox, 'GET /credits/balance');
	const { ledger } = json as { ledger: { amount: number }[] };
	expect(json).toMatchObject({
		balance: ledger.reduce((sum, { amount }) => sum + amount, 0),
		lifetime_earned: earned,
		lifetime_spent: spent,
	});
	expect(json).toMatchObject({ balance: earned - spent });
	const { books } = sandbox;
	const seen = books.exchanges().map(({ id, status }) => [id, status, books.creditsSpentOn(id)]);
	expect(seen).toEqual(exchanges.map((each) => [each.id, each.status, each.spent]));
}
