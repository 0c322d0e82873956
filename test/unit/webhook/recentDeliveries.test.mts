/** Which deliveries are remembered, and how n8n has answered them. */
import { EventEmitter } from 'node:events';

import { expect, test } from 'vitest';

import { RecentDeliveries } from '../../../nodes/BacklinkExchangeWebhookTrigger/recentDeliveries.ts';

function deliver(deliveries: RecentDeliveries, key: string) {
	const response = Object.assign(new EventEmitter(), { statusCode: 200, writableEnded: true });
	const taken = deliveries.take(key, 5, response);
	response.emit('close');
	// What was answered is noted by now; the response itself is not kept.
	response.statusCode = 500;
	return taken;
}

test('it is bounded: the oldest is forgotten first', () => {
	const deliveries = new RecentDeliveries();
	for (let count = 0; count <= 10_000; count++) deliver(deliveries, `delivery ${count}`);
	expect(deliver(deliveries, 'delivery 1')).toBe('accepted');
	expect(deliver(deliveries, 'delivery 0')).toBe('new');
});
