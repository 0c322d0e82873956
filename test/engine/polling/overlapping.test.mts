/** Polls that overlap, because the service is slow or the workflow is published meanwhile. */
import { expect, test } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { getEventKeys, minute, onlyOffers, setUpAndPoll } from './setup.mts';

const clock = useVirtualTime();

test('a poll that ends after a later one neither repeats nor loses an event', async () => {
	const { sandbox, poller } = await setUpAndPoll({}, onlyOffers);
	await clock.wait(minute);
	sandbox.requestOffer({ id: 'a' });
	sandbox.addFault({
		kind: 'delay-after-commit',
		path: '/api/exchanges',
		milliseconds: 20_000,
		times: 1,
	});
	const slow = poller.poll();
	await clock.wait(100);
	sandbox.requestOffer({ id: 'b' });
	await poller.start('update');
	await slow;
	await clock.wait(minute);
	sandbox.requestOffer({ id: 'c' });
	await poller.poll();
	expect(getEventKeys(poller.executions.flat())).toEqual(
		['a', 'b', 'c'].map((id) => `exchange.requested:${id}`),
	);
});
