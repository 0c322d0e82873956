/** What `creditsSpent` shows, and what holds back an accept under a minimum, if several accepts overlap. */
import { expect, test } from 'vitest';

import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { createStubService, minute, pending, post } from './acceptFixtures.mts';

const time = useVirtualTime();

const underMinimum = { minimumBalance: 50 };
const holds = expect.stringContaining('does not show the cost of an earlier accept') as unknown;

test('a request that is still running is not paid by the increase of another one', async () => {
	const { sandbox, accept } = await startTestService({ credits: 1000 });
	const [slow, quick, later, last] = [40, 30, 20, 10].map((cost) => sandbox.requestOffer({ cost }));
	sandbox.addFault({ kind: 'delay-before-commit', ...post, milliseconds: 5000 });
	const running = accept(slow?.id ?? '');
	await time.wait(1000);
	const { item } = await accept(quick?.id ?? '');
	expect(item).toMatchObject({ outcome: 'accepted' });
	expect(item).not.toHaveProperty('creditsSpent');
	expect((await accept(later?.id ?? '', underMinimum)).item).toMatchObject({
		outcome: 'skipped',
		reason: holds,
	});
	expect((await running).item).not.toHaveProperty('creditsSpent');
	expect((await accept(later?.id ?? '', underMinimum)).item).toMatchObject({ creditsSpent: 20 });
	// The highest price is 20: 910 - 20 is the lowest balance that a minimum allows.
	expect((await accept(last?.id ?? '', { minimumBalance: 890 })).item).toMatchObject({
		creditsSpent: 10,
	});
});

test('a request without a response is not paid by the increase of another one', async () => {
	const { sandbox, accept } = await startTestService({ credits: 1000 });
	const [lost, quick, slow] = [40, 30, 20].map((cost) => sandbox.requestOffer({ cost }));
	sandbox.addFault({ kind: 'delay-before-commit', ...post, milliseconds: 5000 });
	await accept(lost?.id ?? '', {}, { cancelAfter: 700 });
	const { item } = await accept(quick?.id ?? '');
	expect(item).toMatchObject({ outcome: 'accepted' });
	await time.wait(3000);
	// The lost request is carried out while this one runs.
	sandbox.addFault({ kind: 'delay-before-commit', ...post, milliseconds: 3000 });
	const overlapping = await accept(slow?.id ?? '');
	expect(overlapping.item).toMatchObject({ outcome: 'accepted', balance: 910 });
	expect(overlapping.item).not.toHaveProperty('creditsSpent');
});

/** A service whose balance shows the costs of accepts when the test says so. */
async function withCosts() {
	const offers = [pending(), pending(), pending()];
	const state = { shown: 0, accepted: new Set<string>(), isLost: false };
	const service = await createStubService({
		list: () =>
			offers.map((offer) => ({
				...offer,
				status: state.accepted.has(offer.id) ? 'accepted' : 'pending',
			})),
		accept: (id, response) => {
			state.accepted.add(id);
			if (!state.isLost) return { id, status: 'accepted' };
			response.destroy();
			return undefined;
		},
		balance: () => ({ balance: 1000 - state.shown, lifetime_spent: state.shown }),
	});
	const [first = '', second = '', third = ''] = offers.map(({ id }) => id);
	return { ...service, state, first, second, third };
}

test('an increase pays for one open charge, not for all', async () => {
	const { accept, state, first, second, third } = await withCosts();
	await Promise.all([accept(first), accept(second)]);
	for (const [shown, reason] of [
		[0, holds],
		[40, holds],
		[70, undefined],
	] as const) {
		state.shown = shown;
		await time.wait(2000);
		const { item } = await accept(third, { ...underMinimum, dryRun: true });
		expect(item?.reason).toEqual(reason);
	}
});

test('a minute later, an increase pays for all charges that it may show', async () => {
	const { accept, state, first, second, third } = await withCosts();
	state.isLost = true;
	await Promise.all([accept(first), accept(second)]);
	state.isLost = false;
	state.shown = 70;
	const dryRun = { ...underMinimum, dryRun: true };
	expect((await accept(third, dryRun)).item?.reason).toEqual(holds);
	await time.wait(minute);
	expect((await accept(third, underMinimum)).outcomes).toEqual(['accepted']);
});

test('the same offer reports its credits once, although a later request finds it accepted', async () => {
	const offer = pending();
	let status = 'pending';
	const service = await createStubService({
		list: () => [{ ...offer, status }],
		accept: (id, response, requests) => {
			if (requests === 1) return { id, status: 'accepted' };
			status = 'accepted';
			response.writeHead(409).end();
			return undefined;
		},
		balance: (accepts) => ({
			balance: accepts === 0 ? 100 : 90,
			lifetime_spent: accepts === 0 ? 0 : 10,
		}),
	});
	expect((await service.accept(offer.id)).item).toMatchObject({ creditsSpent: 10 });
	await time.wait(2 * minute);
	const { item } = await service.accept(offer.id);
	expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack', balance: 90 });
	expect(item).not.toHaveProperty('creditsSpent');
	// The rejected request doesn't hold back the others, either.
	const other = await service.accept(offer.id, underMinimum);
	expect(other.outcomes).toEqual(['accepted']);
});
