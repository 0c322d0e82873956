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

test('costs and their sum have no digits from floating-point arithmetic', async () => {
	const offers = [pending(), pending()];
	const service = mockExchanges({
		list: () => offers,
		accept: (id) => ({ id, status: 'accepted' }),
		balance: (accepts) => ({ balance: 50, lifetime_spent: [0, 0.1, 0.3][accepts] }),
	});
	const { decisions, hints } = await service.acceptMany({});
	expect(decisions.map(({ creditsSpent }) => creditsSpent)).toEqual([0.1, 0.2]);
	expect(hints.map(({ message }) => message).join()).toContain('accepted for 0.3 credits.');
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
