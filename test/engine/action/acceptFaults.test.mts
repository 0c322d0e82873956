/** What becomes of an accept when the network or the service fails in the middle of it. */
import { expect, test } from 'vitest';

import type { Fault } from '../../../sandbox/faults.mts';
import { serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { posts } from './accepts.mts';

const time = useVirtualTime();

const path = '/api/exchanges';
/** Longer than the node waits for an answer. */
const delay = 1500;

test.each<[Fault['kind'], string]>([
	['cut-after-commit', 'accepted, readBack'],
	['error-after-commit', 'accepted, readBack'],
	['delay-after-commit', 'accepted, readBack'],
	['delay-before-commit', 'accepted, readBack'],
	['not-json', 'accepted, readBack'],
	['malformed-json', 'accepted, readBack'],
	['wrong-content-type', 'accepted, response'],
	['cut-before-commit', 'still shows the offer'],
	['error-before-commit', 'still shows the offer'],
])('%s', async (kind, expected) => {
	const service = await serviceWithOffer();
	service.sandbox.addFault({ kind, method: 'POST', path, milliseconds: delay });
	const { item, error } = await service.accept(service.offer, { timeout: 1 });
	// A request whose answer is delayed is in the books when it has been answered.
	await time.wait(delay + 500);
	const claimed = `${item?.outcome as string}, ${item?.confirmedBy as string}`;
	expect(error?.message ?? claimed).toContain(expected);
	expect(posts(service).length).toBe(1);
	expect(service.sandbox.books.acceptsOf(service.offer.id)).toBe(error === undefined ? 1 : 0);
});

test('when the list cannot be read afterwards, the outcome is called unknown, and counts as spent', async () => {
	const { sandbox, accept } = await testService();
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
});
