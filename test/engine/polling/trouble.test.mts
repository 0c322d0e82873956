/** Failing answers, restarts, polls that overlap, limits and other accounts: no event is lost, and none comes twice. */
import { expect, it } from 'vitest';

import { json, localService } from '../localServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, names } from './begin.mts';
import { Poller } from './poller.mts';

const time = useVirtualTime();

it('an exchange without an id is said, with what it has', async () => {
	for (const [entry, said] of [
		[{ anchor: 'tea', status: 'live' }, 'anchor, status'],
		[{}, 'no fields'],
	] as const) {
		const poller = await beginWith(() => ({ exchanges: [{ id: 'x' }, entry] }));
		await expect(poller.start()).rejects.toThrow(
			`The answer of the service could not be understood. Expected exchanges with an "id", received an object with ${said}`,
		);
	}
});

it('polls that a later one has overtaken do not confirm to each other what is no longer so', async () => {
	const { sandbox, poller } = await begin();
	sandbox.requestOffer({ id: 'x' });
	sandbox.accept('x');
	sandbox.publish('x');
	await poller.start();
	sandbox.addFault({
		kind: 'delay-after-commit',
		path: '/api/exchanges',
		milliseconds: 500,
		times: 2,
	});
	const slow = [poller.poll(), poller.poll()];
	await time.wait(100);
	sandbox.breakLink('x');
	await poller.poll();
	await Promise.all(slow);
	await poller.poll();
	expect(names(poller.executions.flat())).toEqual(['exchange.broken', 'watchdog.alert']);
});

it.each([
	['n8n allows five minutes for a poll', undefined, 80, 100],
	['n8n allows less', 60_000, 25, 40],
])(
	'but no longer than 90 seconds, or half of what n8n allows: %s',
	async (_, budget, short, long) => {
		let reset = short;
		let asked = 0;
		const { baseUrl } = await localService((request, response) => {
			const isRefused = ++asked % 2 === 1;
			if (!isRefused) {
				json(['accepted', 'live', 'broken'].map((status) => ({ id: status, status })))(
					request,
					response,
				);
				return;
			}
			response.writeHead(429, { 'Retry-After': reset }).end('{}');
		});
		const poller = new Poller({ baseUrl, apiKey: 'key' }, { events: ['exchange.requested'] });
		poller.budget = budget;
		expect(await poller.start()).toEqual([]);
		expect(asked).toBe(2);
		reset = long;
		const key = { baseUrl, apiKey: 'another_key' };
		const second = new Poller(key, { events: ['exchange.requested'] });
		second.budget = budget;
		// Then nobody can do anything before it resets, so only a publication fails.
		if (budget === undefined) await expect(second.start()).rejects.toThrow('limit');
		else expect(await second.start()).toEqual([]);
		expect(second.warnings.join()).toContain(budget === undefined ? '' : 'limit');
		expect(asked).toBe(3);
	},
);

it('a list that goes on in a way that cannot be followed is written to the log, a whole one is not', async () => {
	let more = true;
	const poller = await beginWith(
		() => ({ exchanges: [{ id: 'x', status: 'pending' }], has_more: more }),
		{ events: ['exchange.requested'] },
	);
	await poller.start();
	expect(poller.warnings).toEqual([
		expect.stringContaining('the service says that there are more exchanges than it lists'),
	]);
	more = false;
	await poller.poll();
	expect(poller.warnings).toHaveLength(1);
});

it('the same key at another address is another account, even if it lists the same', async () => {
	let shown = ['x'];
	const list = () => shown.map((id) => ({ id, status: 'pending' }));
	const watched = { events: ['exchange.requested'] };
	const [poller, other] = [await beginWith(list, watched), await beginWith(list, watched)];
	await poller.start();
	poller.credential = other.credential;
	shown = ['x', 'y'];
	expect(await poller.poll()).toEqual([]);
});
