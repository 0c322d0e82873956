/** The event credits.low. */
import { expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, names, pollFor, started } from './begin.mts';
import type { Poller } from './poller.mts';

const clock = useVirtualTime();

const watching = { events: ['credits.low'], creditsLowBelow: 50 };
const watchingBoth = { ...watching, events: ['credits.low', 'exchange.requested'] };

const pollLater = async (poller: Poller) => {
	await clock.wait(15 * 60_000);
	return await poller.poll();
};

it('a low balance starts the workflow once per fall, with a request of its own only if it is selected', async () => {
	const { sandbox, poller } = await started({ credits: 80 }, watching);
	sandbox.setCredits(12);
	expect(await pollLater(poller)).toEqual([
		{
			event: 'credits.low',
			eventKey: expect.stringMatching(/^credits\.low:\d+$/) as unknown,
			message: 'Credits are low: 12 left, below 50',
			data: expect.objectContaining({ balance: 12 }) as unknown,
			source: 'poll',
			attempt: 1,
		},
	]);
	expect(await poller.poll()).toEqual([]);
	sandbox.setCredits(80);
	expect(await pollLater(poller)).toEqual([]);
	sandbox.setCredits(49);
	expect(names(await pollLater(poller))).toEqual(['credits.low']);
	const paths = new Set(sandbox.books.requests().map(({ path }) => path));
	expect([...paths]).toEqual(['/api/credits/balance']);
	const { sandbox: other, poller: without } = await begin();
	await without.start();
	expect(other.books.requests().map(({ path }) => path)).not.toContain('/api/credits/balance');
});

it('the balance is read when an exchange has moved on, and otherwise every quarter of an hour', async () => {
	const { sandbox, poller } = await begin({ credits: 80 }, watchingBoth);
	sandbox.requestOffer({ id: 'accepted' });
	sandbox.accept('accepted');
	await poller.start();
	const timesRead = () =>
		sandbox.books.requests().filter(({ path }) => path.endsWith('/balance')).length;
	sandbox.requestOffer({ id: 'new' });
	await pollFor(poller, 10);
	expect(timesRead()).toBe(1);
	sandbox.accept('new');
	await pollFor(poller, 10);
	expect(timesRead()).toBe(2);
	await pollFor(poller, 10);
	expect(timesRead()).toBe(3);
});

it('a balance that cannot be read is an error, and no recovery', async () => {
	const { sandbox, poller } = await started({ credits: 80 }, watching);
	sandbox.setCredits(12);
	await pollLater(poller);
	sandbox.addFault({ kind: 'not-json', path: '/api/credits' });
	await expect(pollLater(poller)).rejects.toThrow();
	expect(await pollLater(poller)).toEqual([]);
});

it('a balance that is low from the beginning is told at once, and seen in the editor', async () => {
	const { sandbox, poller } = await begin({ credits: 80 }, watching);
	expect((await poller.test()).map(({ message }) => message)).toEqual([
		'There is no event to show yet. What would make one: Credits Low (the balance, 80, is not below 50). A published workflow starts with the next event.',
	]);
	sandbox.setCredits(12);
	expect(names(await poller.test())).toEqual(['credits.low']);
	expect(names(await poller.start())).toEqual(['credits.low']);
	expect(await poller.poll()).toEqual([]);
});

it('an account that is not recognized is a line of the log; a balance that is low is told all the same, and once', async () => {
	const shown = { ids: ['a', 'b'], balance: 80 };
	const poller = await beginWith(({ url = '' }) => {
		if (url.includes('credits')) return { balance: shown.balance, lifetime_spent: 5 };
		return shown.ids.map((id) => ({ id, status: 'pending' }));
	}, watchingBoth);
	await poller.start();
	poller.credential = { ...poller.credential, apiKey: 'another' };
	Object.assign(shown, { ids: ['c', 'd'], balance: 20 });
	expect(names(await poller.poll())).toEqual(['credits.low']);
	const warnings = poller.warnings.filter((line) =>
		line.includes('does not recognize the account'),
	);
	expect(warnings).toHaveLength(1);
	poller.credential = { ...poller.credential, apiKey: 'third' };
	shown.ids = ['e', 'f'];
	expect(await poller.poll()).toEqual([]);
});
