/** An account with more than the polling trigger can remember: it says so, and forgets nothing that it knew. */
import { expect, it } from 'vitest';

import { mostAlerts } from '../../../nodes/BacklinkExchangeTrigger/alerts.ts';
import { mostExchanges } from '../../../nodes/BacklinkExchangeTrigger/memory.ts';
import { beginWith } from './begin.mts';

it.each([
	{
		kind: 'exchange offers',
		event: 'exchange.requested',
		most: mostExchanges,
		list: 'exchanges',
		entry: (number: number) => ({ id: `x${number}`, status: 'pending' }),
		message: 'The account has too many pending exchange offers to watch',
		figure: '5,000',
	},
	{
		kind: 'alerts',
		event: 'watchdog.alert',
		most: mostAlerts,
		list: 'events',
		entry: (number: number) => ({ id: `a${number}`, exchange_id: 'x', severity: 'low' }),
		message: 'The account has too many watchdog events to watch',
		figure: '20,000',
	},
])('too many $kind', async ({ event, most, list, entry, message, figure }) => {
	let count = 2;
	const poller = await beginWith(
		() => ({ [list]: Array.from({ length: count }, (_, number) => entry(number)) }),
		{ events: [event], options: { redeliver: false } },
	);
	expect(await poller.start()).toEqual([]);
	count = most + 1;
	await expect(poller.poll()).rejects.toMatchObject({
		message,
		description: expect.stringContaining(figure) as unknown,
	});
	count = 3;
	expect((await poller.poll()).map(({ data }) => data)).toEqual([entry(2)]);
	count = most;
	expect((await poller.poll()).length).toBe(most - 3);
});
