/** What becomes of an accept when the network or the service fails in the middle of it. */
import { test } from 'vitest';

import type { Fault } from '../../../sandbox/faults.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const acceptEndpoint = 'POST /api/exchanges/:id/accept';
const path = '/api/exchanges';
/** Longer than the node waits for an answer. */
const delay = 1500;

interface Expected {
	outcome?: string;
	confirmedBy?: string;
	message?: string;
	/** Requests to accept. */
	posts: number;
	paid: number;
}

const accepted = (confirmedBy: string): Expected => ({
	outcome: 'accepted',
	confirmedBy,
	posts: 1,
	paid: 1,
});
const notAccepted: Expected = { message: 'still shows the offer', posts: 1, paid: 0 };

const cases: Array<[Fault['kind'], Expected]> = [
	['cut-after-commit', accepted('readBack')],
	['error-after-commit', accepted('readBack')],
	['delay-after-commit', accepted('readBack')],
	['delay-before-commit', accepted('readBack')],
	['not-json', accepted('readBack')],
	['malformed-json', accepted('readBack')],
	['wrong-content-type', accepted('response')],
	['cut-before-commit', notAccepted],
	['error-before-commit', notAccepted],
];

for (const [kind, expected] of cases) {
	test.concurrent(kind, async ({ expect, onTestFinished }) => {
		const { sandbox, accept } = await testService({}, onTestFinished);
		const offer = sandbox.requestOffer();
		sandbox.addFault({ kind, method: 'POST', path, milliseconds: delay });
		const { items, error } = await accept(offer, { timeout: 1 });
		// A request whose answer is delayed is in the books when it has been answered.
		if (kind === 'delay-after-commit') {
			await time.wait(delay + 500);
		}
		expect({
			...(items[0] && { outcome: items[0].json.outcome, confirmedBy: items[0].json.confirmedBy }),
			...(error && { message: error.message }),
			posts: sandbox.books.requests({ endpoint: acceptEndpoint }).length,
			paid: sandbox.books.acceptsOf(offer.id),
		}).toEqual({
			...expected,
			...(expected.message && { message: expect.stringContaining(expected.message) as unknown }),
		});
	});
}

test.concurrent(
	'when the list cannot be read afterwards, the outcome is called unknown, and counts as spent',
	async ({ expect, onTestFinished }) => {
		const { sandbox, accept } = await testService({}, onTestFinished);
		const offers = [1, 2].map(() => sandbox.requestOffer());
		sandbox.addFault({ kind: 'cut-after-commit', method: 'POST', path });
		sandbox.addFault({ kind: 'not-json', method: 'GET', path, after: 1, times: 6 });
		const { run: execution } = await accept(
			offers,
			{ maxAccepts: 1 },
			{ continues: true, rounds: 2 },
		);
		const rounds = execution.data.resultData.runData['Backlink Exchange'] ?? [];
		expect(rounds.map(({ data }) => data?.main?.[0]?.map(({ json }) => json))).toMatchObject([
			[
				{
					error: {
						message: `It is not known whether the offer ${offers[0]?.id ?? ''} was accepted: credits may have been spent`,
					},
				},
				// The list is not read again for each item.
				{ error: { message: 'The answer of the service could not be understood' } },
			],
			[{ outcome: 'accepted', confirmedBy: 'readBack' }, { outcome: 'skipped' }],
		]);
		expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 0]);
	},
);
