/** What is remembered of accepts: the same offer is not paid twice, whatever the list says and whoever asks. */
import { describe, expect, test } from 'vitest';

import { freshActionNode, type NodeRunOptions, processedData } from '../engine.mts';
import { jsonOf, serviceWithOffer, type TestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { acceptEndpoint, charging, deniesPayment, list, minute, post, posts } from './accepts.mts';

const time = useVirtualTime();

describe('outcomes are remembered', () => {
	test.each(['lagging', 'pending-only', 'without-accepted'] as const)(
		'what was accepted is not sent again, whatever the list says: %s',
		async (exchangeList) => {
			const service = await serviceWithOffer({ dialect: { exchangeList, ...charging } });
			await time.wait(minute);
			expect((await service.accept(service.offer.id)).item?.outcome).toBe('accepted');
			const before = service.sandbox.books.requests().length;
			for (let again = 0; again < 2; again++) {
				const { item } = await service.accept(service.offer.id, { simplify: false });
				expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'memory' });
				expect(item?.exchange).toMatchObject({ id: service.offer.id });
			}
			expect(service.sandbox.books.requests().length).toBe(before);
			expect(service.sandbox.books.acceptsOf(service.offer.id)).toBe(1);
		},
	);

	test('what is unknown and not listed is not sent again for 24 hours', async () => {
		const service = await serviceWithOffer({
			dialect: { exchangeList: 'pending-only', ...charging },
		});
		service.sandbox.addFault({ kind: 'cut-after-commit', ...post });
		const tries = [];
		for (const wait of [0, minute, 22 * 60 * minute]) {
			await time.wait(wait + 1);
			tries.push(await service.accept(service.offer.id));
		}
		for (const { item, error, text } of tries) {
			expect(item).toBeUndefined();
			expect(error?.message).toBe(
				`It is not known whether the offer ${service.offer.id} was accepted: credits may have been spent`,
			);
			expect(text).toContain('Credits may have been spent');
			expect(error?.context?.code).toBe('outcome_unknown');
			expect(text).not.toMatch(deniesPayment);
		}
		expect(posts(service).length).toBe(1);
		expect(service.sandbox.books.acceptsOf(service.offer.id)).toBe(1);
	});

	test('a list that hides what is accepted unless asked for it is asked for it', async () => {
		const dialect = { exchangeList: 'pending-unless-filtered', ...charging } as const;
		const service = await serviceWithOffer({ dialect });
		service.sandbox.addFault({ kind: 'cut-after-commit', ...post });
		const { item } = await service.accept(service.offer.id);
		expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack' });
	});

	test('within the same run as well: the list that was read before the first request is not believed', async () => {
		const { sandbox, accept, offer } = await serviceWithOffer({ dialect: charging });
		sandbox.addFault({ kind: 'error-after-commit', status: 403, ...post });
		const result = await accept(
			offer,
			{ maxAccepts: '={{ $json.most }}' },
			{ items: [{ most: 1 }, { most: 2 }], continues: true },
		);
		expect(jsonOf(result)).toMatchObject([
			{ error: { httpCode: '403' } },
			{ outcome: 'alreadyAccepted', confirmedBy: 'check' },
		]);
		expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
	});

	describe('the minute counts from when the request was sent, not from when it began to wait for the limit', () => {
		/** The request waits for 55 seconds, and is taken then: "202", and nothing after it. */
		async function sentLate(options: Partial<NodeRunOptions>) {
			const limits = { perMinute: 10, perDay: 1_000_000, windowMilliseconds: 55_000 };
			const service = await serviceWithOffer({
				dialect: { settlement: 'never', ...charging },
				limits,
			});
			for (let count = 0; count < 10; count++) await service.run('credit', 'getBalance');
			const { run } = await service.accept(service.offer, {}, { ...options });
			return { service, run };
		}
		const taken = ({ sandbox }: TestService) =>
			sandbox.books.requests({ endpoint: acceptEndpoint, status: 202 }).length;

		test('for another execution', async () => {
			const { service } = await sentLate({});
			const { error } = await service.accept(service.offer);
			expect(error?.message).toContain('still shows the offer');
			expect(taken(service)).toBe(1);
		});

		test('and it counts from its end, where no answer comes for long', async () => {
			const service = await serviceWithOffer({ dialect: charging });
			const milliseconds = 200_000;
			service.sandbox.addFault({ kind: 'delay-before-commit', ...post, milliseconds });
			await service.accept(service.offer.id, { timeout: 100 });
			const { error } = await service.accept(service.offer.id);
			expect(error?.message).toContain('still shows the offer');
			await time.wait(milliseconds);
			expect(service.sandbox.books.acceptsOf(service.offer.id)).toBe(1);
		});

		test('for the same execution in another process', async () => {
			const actionNode = freshActionNode();
			actionNode.execute = async function () {
				return (await freshActionNode().execute?.call(this)) ?? [];
			};
			const { service, run } = await sentLate({ actionNode, rounds: 2, continues: true });
			expect(run.data.resultData.runData['Backlink Exchange']?.length).toBe(2);
			expect(taken(service)).toBe(1);
		});
	});
});

test('a day later, what was accepted is sent again only if the list shows it as pending', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer({
		dialect: { ...charging, exchangeList: 'pending-only' },
	});
	await accept(offer);
	await time.wait(25 * 3_600_000);
	const { item } = await accept(offer);
	expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'memory' });
	expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
});

test('a day later, the list is asked first, and may say that the link is live or broken', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer({ dialect: charging });
	await accept(offer);
	await time.wait(25 * 3_600_000);
	sandbox.addFault({ kind: 'not-json', ...list });
	const unreadable = await accept(offer);
	expect(unreadable.items[0]?.json).toMatchObject({
		outcome: 'accepted',
		confirmedBy: 'memory',
	});
	sandbox.publish(offer.id);
	const live = await accept(offer, { simplify: false });
	expect(live.items[0]?.json).toMatchObject({
		outcome: 'accepted',
		confirmedBy: 'readBack',
		exchange: { status: 'live' },
	});
	await time.wait(25 * 3_600_000);
	sandbox.breakLink(offer.id);
	const broken = await accept(offer, { simplify: false });
	expect(broken.item).toMatchObject({ outcome: 'accepted', exchange: { status: 'broken' } });
	await time.wait(25 * 3_600_000);
	const another = await accept(offer, {}, { nodeId: 'other' });
	expect(another.error?.message).toContain('its link is broken');
	expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
});

test('executions that ask at the same moment about what somebody else has accepted: none calls it its own', async () => {
	processedData.delay = 20;
	const { sandbox, accept, acceptMany, offer } = await serviceWithOffer();
	sandbox.accept(offer.id);
	const [many, again, one] = await Promise.all([acceptMany(), acceptMany(), accept(offer)]);
	processedData.delay = 0;
	expect([many.outcomes, again.outcomes, one.outcomes]).toEqual([[], [], ['alreadyAccepted']]);
	expect((await accept(offer)).outcomes).toEqual(['alreadyAccepted']);
});
