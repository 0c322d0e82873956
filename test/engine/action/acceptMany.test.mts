/** What Accept Many returns and says of each offer, and how many it accepts. Its rules: acceptManyRules.test.mts. */
import { expect, test } from 'vitest';

import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { pending, post, posts, serviceByHand } from './accepts.mts';

useVirtualTime();

test('a new node accepts nothing: dry run, and nobody is allowed', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	const { items, error } = await service.run('exchange', 'acceptMany');
	expect(error?.message).toBeUndefined();
	expect(items[0]?.json).toMatchObject({
		outcome: 'undecided',
		reason: 'Allowed Partners is empty',
	});
	const { outcomes } = await service.acceptMany({ dryRun: true });
	expect(outcomes).toEqual(['wouldAccept']);
	expect(posts(service)).toEqual([]);
});

test('accepts what the rules allow, says why of the rest, and writes a sentence about each', async () => {
	const service = await testService({ credits: 100 });
	const from = (fromSite: string, anchor = 'green tea') =>
		service.sandbox.requestOffer({ fromSite, anchor, cost: 10 }).id;
	const allowed = from('https://www.Kettle-Review.example/blog');
	const below = from('https://shop.kettle-review.example');
	const unknown = from('https://other.example');
	const casino = from('https://kettle-review.example', 'Best CASINO tea');
	const refused = from('https://spam.kettle-review.example');
	const { decisions } = await service.acceptMany({
		acceptFrom: 'listed',
		allowedPartners: 'http://kettle-review.example:443/, tea.example',
		options: {
			refusedPartners: 'spam.kettle-review.example.',
			refusedAnchorWords: 'casino, betting',
			minimumBalance: 5,
		},
	});
	const decided = (id: string) => decisions.find((each) => each.id === id);
	expect(decided(allowed)).toMatchObject({ outcome: 'accepted', creditsSpent: 10, balance: 90 });
	expect(decided(allowed)?.message).toMatch(
		/^Accepted www.Kettle-Review.example\/blog → [a-z.-]+, anchor "green tea": 10 credits, 90 left$/,
	);
	expect(decided(below)).toMatchObject({ outcome: 'accepted' });
	expect(decided(unknown)).toMatchObject({
		outcome: 'undecided',
		reason: 'The partner is not in Allowed Partners',
	});
	expect(decided(casino)).toMatchObject({
		outcome: 'refused',
		reason: 'The anchor text contains "casino"',
	});
	expect(decided(refused)).toMatchObject({ outcome: 'refused' });
	expect(service.sandbox.books.balance()).toBe(80);
});

test('Only What Needs a Person leaves out what was accepted, refused and skipped', async () => {
	const service = await testService({ credits: 1000 });
	const [accepted, , casino] = [
		service.sandbox.requestOffer(),
		service.sandbox.requestOffer({ fromSite: 'site_1' }),
		service.sandbox.requestOffer({ anchor: 'casino' }),
		service.sandbox.requestOffer(),
	].map(({ id }) => id);
	const options = {
		...{ refusedAnchorWords: 'casino', refusedPartners: 'spam.example', maxAccepts: 1 },
		return: 'needsPerson',
	};
	const dry = await service.acceptMany({ dryRun: true, options }, { mode: 'trigger' });
	expect(dry.outcomes).toEqual(['wouldAccept', 'undecided']);
	const run = await service.acceptMany({ options }, { mode: 'trigger' });
	expect(run.outcomes).toEqual([]);
	expect(service.sandbox.books.acceptsOf(accepted ?? '')).toBe(1);
	const all = await service.acceptMany({ options: { ...options, return: 'all' } });
	expect(all.decisions.find(({ id }) => id === casino)?.outcome).toBe('refused');
});

test('Only What Needs a Person: also what is accepted, and nobody knows by whom', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	service.sandbox.addFault({ kind: 'error-after-commit', status: 409, ...post });
	const options = { return: 'needsPerson' };
	expect((await service.acceptMany({ options })).outcomes).toEqual(['alreadyAccepted']);
});

test('each input item reads the list anew', async () => {
	const offers = [pending(), pending()];
	const service = await serviceByHand({ list: (reads) => offers.slice(0, reads) });
	const { outcomes } = await service.acceptMany({}, { items: [{}, {}] });
	expect(outcomes).toEqual(['accepted', 'accepted']);
});

test('where no offer is pending, a hint says so, with the number of those that were read', async () => {
	const service = await testService();
	const hintsOf = async () => (await service.acceptMany()).hints.map(({ message }) => message);
	expect(await hintsOf()).toEqual(['No offer is pending. Exchanges that the service lists: 0.']);
	service.sandbox.accept(service.sandbox.requestOffer().id);
	expect(await hintsOf()).toEqual(['No offer is pending. Exchanges that the service lists: 1.']);
	service.sandbox.requestOffer();
	expect(await hintsOf()).toEqual([]);
});

test('Max Accepts is 5 unless it is set', async () => {
	const service = await testService({ credits: 1000 });
	for (let count = 0; count < 7; count++) service.sandbox.requestOffer();
	const { decisions, outcomes, hints } = await service.acceptMany();
	expect(outcomes).toEqual([...Array<string>(5).fill('accepted'), 'skipped', 'skipped']);
	expect(decisions[5]?.reason).toBe('Max Accepts (5) is reached');
	expect(decisions[5]?.message).toMatch(/: Max Accepts \(5\) is reached$/);
	expect(hints).toEqual([]);
	expect(service.sandbox.books.requests({ method: 'GET' }).length).toBe(1);
});
