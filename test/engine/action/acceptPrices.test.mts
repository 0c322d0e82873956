/** `creditsSpent`, and what holds back an accept under a minimum, if several accepts overlap. */
import { expect, test } from 'vitest';

import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { acceptEndpoint, minute, mockExchanges, pending } from './acceptFixtures.mts';

const time = useVirtualTime();

const underMinimum = { minimumBalance: 50 };
const holds = expect.stringContaining("doesn't show yet what an earlier offer cost") as unknown;

test('a request that is still running is not paid by the increase of another one', async () => {
	const { sandbox, accept } = await startTestService({ credits: 1000 });
	const [slow, quick, third, last] = [40, 30, 20, 10].map((cost) => sandbox.requestOffer({ cost }));
	sandbox.addFault({ kind: 'delay-before-commit', ...acceptEndpoint, milliseconds: 5000 });
	const running = accept(slow?.id ?? '');
	await time.wait(1000);
	const { item } = await accept(quick?.id ?? '');
	expect(item).toMatchObject({ outcome: 'accepted' });
	expect(item).not.toHaveProperty('creditsSpent');
	expect((await accept(third?.id ?? '', underMinimum)).item).toMatchObject({
		outcome: 'skipped',
		reason: holds,
	});
	expect((await running).item).not.toHaveProperty('creditsSpent');
	expect((await accept(third?.id ?? '', underMinimum)).item).toMatchObject({ creditsSpent: 20 });
	// The highest price is 20: 910 - 20 is the lowest balance that a minimum allows.
	expect((await accept(last?.id ?? '', { minimumBalance: 890 })).item).toMatchObject({
		creditsSpent: 10,
	});
});

test('a request that is still running is not paid by an accept elsewhere', async () => {
	const { sandbox, accept } = await startTestService({ credits: 1000 });
	const [slow, elsewhere, third] = [40, 30, 20].map((cost) => sandbox.requestOffer({ cost }));
	sandbox.addFault({ kind: 'delay-before-commit', ...acceptEndpoint, milliseconds: 5000 });
	const running = accept(slow?.id ?? '');
	await time.wait(1000);
	sandbox.accept(elsewhere?.id ?? '');
	const { item } = await accept(third?.id ?? '', { ...underMinimum, dryRun: true });
	expect(item).toMatchObject({ outcome: 'skipped', reason: holds });
	expect((await running).outcomes).toEqual(['accepted']);
});

test('a request without a response is not paid by the increase of another one', async () => {
	const { sandbox, accept } = await startTestService({ credits: 1000 });
	const [lost, quick, slow] = [40, 30, 20].map((cost) => sandbox.requestOffer({ cost }));
	sandbox.addFault({ kind: 'delay-before-commit', ...acceptEndpoint, milliseconds: 5000 });
	await accept(lost?.id ?? '', {}, { cancelAfter: 700 });
	const { item } = await accept(quick?.id ?? '');
	expect(item).toMatchObject({ outcome: 'accepted' });
	await time.wait(3000);
	// The lost request is carried out while this one runs.
	sandbox.addFault({ kind: 'delay-before-commit', ...acceptEndpoint, milliseconds: 3000 });
	const overlapping = await accept(slow?.id ?? '');
	expect(overlapping.item).toMatchObject({ outcome: 'accepted', balance: 910 });
	expect(overlapping.item).not.toHaveProperty('creditsSpent');
});

/** A service whose balance shows the costs of accepts when the test says so. */
function mockWithCosts() {
	const offers = [pending(), pending(), pending()];
	const state = {
		...{ shown: 0, accepted: new Set<string>(), isUnknown: false, isUnreadable: false },
		/** Resolves as soon as the response to an accept may be sent. */
		respond: Promise.resolve(),
	};
	const service = mockExchanges({
		list: () =>
			offers.map((offer) => ({
				...offer,
				status: state.accepted.has(offer.id) ? 'accepted' : 'pending',
			})),
		accept: async (id) => {
			state.accepted.add(id);
			await state.respond;
			return state.isUnknown ? [502] : { id, status: 'accepted' };
		},
		balance: () => ({
			balance: 1000 - state.shown,
			lifetime_spent: state.isUnreadable ? null : state.shown,
		}),
	});
	const [first = '', second = '', third = ''] = offers.map(({ id }) => id);
	return { ...service, state, first, second, third };
}

test('an increase pays for one open charge, not for all', async () => {
	const { accept, state, first, second, third } = mockWithCosts();
	// Both requests are sent before the first response. Otherwise, the second one would be sent
	// without a known `lifetime_spent` now and then, and its charge couldn't be tracked.
	state.respond = time.wait(1000);
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

test('a minute third, an increase pays for all charges that it may show', async () => {
	const { accept, state, first, second, third } = mockWithCosts();
	state.isUnknown = true;
	await Promise.all([accept(first), accept(second)]);
	state.isUnknown = false;
	state.shown = 70;
	const dryRun = { ...underMinimum, dryRun: true };
	expect((await accept(third, dryRun)).item?.reason).toEqual(holds);
	await time.wait(minute);
	expect((await accept(third, underMinimum)).outcomes).toEqual(['accepted']);
});

test('the same offer reports its credits once, although a later request finds it accepted', async () => {
	const [offer, other] = [pending(), pending()];
	let status = 'pending';
	const service = mockExchanges({
		list: () => [{ ...offer, status }, other],
		accept: (id, requests) => {
			if (requests !== 2) return { id, status: 'accepted' };
			status = 'accepted';
			return [409];
		},
		balance: (accepts) => ({
			balance: accepts === 0 ? 100 : 90,
			lifetime_spent: accepts === 0 ? 0 : 10,
		}),
	});
	expect((await service.accept(offer.id)).item).toMatchObject({ creditsSpent: 10 });
	await time.wait(2 * minute);
	const { item } = await service.accept(offer.id);
	expect(item).toMatchObject({ outcome: 'accepted', alreadyAccepted: false, balance: 90 });
	expect(item).not.toHaveProperty('creditsSpent');
	// The rejected request doesn't hold back the others, either.
	expect((await service.accept(other.id, underMinimum)).outcomes).toEqual(['accepted']);
});

/** Lets an accept fail in this way, and returns another offer of the same account. */
async function afterLostAccept(
	kind: 'cut-before-commit' | 'error-before-commit' | 'delay-before-commit',
) {
	const service = await startTestService({ credits: 1000 });
	const lost = service.sandbox.requestOffer({ cost: 40, anchor: 'reserved' }).id;
	const other = service.sandbox.requestOffer({ cost: 10 }).id;
	service.sandbox.addFault({ kind, ...acceptEndpoint, milliseconds: 59_000 });
	const { text } = await service.accept(lost);
	expect(text).toContain("Couldn't see");
	return { ...service, lost, other };
}

test.each(['cut-before-commit', 'error-before-commit'] as const)(
	'%s: a minute third, the pending offer holds back no other offer',
	async (kind) => {
		const { accept, other } = await afterLostAccept(kind);
		await time.wait(40_000);
		expect((await accept(other, underMinimum)).item).toMatchObject({ reason: holds });
		await time.wait(20_000);
		expect((await accept(other, underMinimum)).item).toMatchObject({
			outcome: 'accepted',
			creditsSpent: 10,
		});
	},
);

test('Accept Many goes on a minute after a lost response, although rules block that offer now', async () => {
	const { acceptMany, lost } = await afterLostAccept('cut-before-commit');
	await time.wait(minute);
	const { decisions } = await acceptMany({ limits: underMinimum, blockedAnchorWords: 'reserved' });
	expect(decisions).toMatchObject([
		{ exchangeId: lost, outcome: 'blocked' },
		{ outcome: 'accepted', creditsSpent: 10 },
	]);
});

test('an offer that was withdrawn after a lost response holds back no other offer', async () => {
	const offers = [pending(), pending()];
	const [lost = '', other = ''] = offers.map(({ id }) => id);
	const service = mockExchanges({
		list: () => offers,
		accept: (id, requests) => (requests > 1 ? { id, status: 'accepted' } : [502]),
		balance: (accepts) => ({ balance: 1000, lifetime_spent: Math.max(0, accepts - 1) * 10 }),
	});
	await service.accept(lost);
	offers.shift();
	expect((await service.accept(other, underMinimum)).item).toMatchObject({ reason: holds });
	await time.wait(minute);
	expect((await service.accept(other, underMinimum)).outcomes).toEqual(['accepted']);
});

test('a lost accept that the list shows as accepted holds back until the balance shows its cost', async () => {
	const { accept, sandbox, other } = await afterLostAccept('delay-before-commit');
	expect((await accept(other, underMinimum)).item).toMatchObject({ reason: holds });
	await time.wait(25_000);
	expect((await accept(other, { minimumBalance: 930 })).item?.reason).toContain(
		'an offer has cost up to 40',
	);
	expect((await accept(other, underMinimum)).outcomes).toEqual(['accepted']);
	expect(sandbox.books.balance()).toBe(950);
});

test('a lost accept whose price cannot become known holds back nothing once the list shows it', async () => {
	const { accept, state, first, second } = mockWithCosts();
	state.isUnknown = true;
	state.isUnreadable = true;
	await accept(first, {}, { cancelAfter: 500 });
	expect(state.accepted.size).toBe(1);
	await time.wait(2000);
	state.isUnknown = false;
	state.isUnreadable = false;
	expect((await accept(second, underMinimum)).outcomes).toEqual(['accepted']);
});
