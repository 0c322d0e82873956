/** `creditsSpent`, and what holds back an accept under a minimum, if several accepts overlap. */
import { expect, test } from 'vitest';

import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { acceptEndpoint, minute, mockExchanges, pending } from './acceptFixtures.mts';

const time = useVirtualTime();

const underMinimum = { minimumBalance: 50 };

test('accepts of an account run one after the other, each with its own price', async () => {
	const { sandbox, accept } = await startTestService({ credits: 1000 });
	const [slow, quick] = [40, 30].map((cost) => sandbox.requestOffer({ cost }));
	sandbox.addFault({ kind: 'delay-before-commit', ...acceptEndpoint, milliseconds: 5000 });
	const running = accept(slow?.id ?? '');
	await time.wait(1000);
	expect((await accept(quick?.id ?? '')).item).toMatchObject({ creditsSpent: 30 });
	expect((await running).item).toMatchObject({ creditsSpent: 40 });
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
	const state = { shown: 0, accepted: new Set<string>(), isUnknown: false, isUnreadable: false };
	const service = mockExchanges({
		list: () =>
			offers.map((offer) => ({
				...offer,
				status: state.accepted.has(offer.id) ? 'accepted' : 'pending',
			})),
		accept: (id) => {
			state.accepted.add(id);
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

test('Accept Many goes on a minute after a lost response, although rules block that offer now', async () => {
	const { acceptMany, lost } = await afterLostAccept('cut-before-commit');
	await time.wait(minute);
	const { decisions } = await acceptMany({ limits: underMinimum, blockedAnchorWords: 'reserved' });
	expect(decisions).toMatchObject([
		{ exchangeId: lost, outcome: 'blocked' },
		{ outcome: 'accepted', creditsSpent: 10 },
	]);
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
