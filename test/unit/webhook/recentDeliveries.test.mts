/** Which deliveries are remembered, and how n8n has answered them. */
import { EventEmitter } from 'node:events';

import { expect, test } from 'vitest';

import { RecentDeliveries } from '../../../nodes/BacklinkExchangeWebhookTrigger/recentDeliveries.ts';

class Response extends EventEmitter {
	statusCode = 200;
	writableEnded = false;

	/** As n8n does when it has answered. */
	end(): void {
		this.writableEnded = true;
		this.emit('close');
	}
}

function deliver(deliveries: RecentDeliveries, key: string) {
	const response = new Response();
	const taken = deliveries.take(key, 5, response);
	response.end();
	return taken;
}

test('it is bounded: the oldest is forgotten first', () => {
	const deliveries = new RecentDeliveries();
	for (let count = 0; count <= 10_000; count++) deliver(deliveries, `delivery ${count}`);
	expect(deliver(deliveries, 'delivery 1')).toBe('accepted');
	expect(deliver(deliveries, 'delivery 0')).toBe('new');
});

test('how n8n answered is noted when it does, and its response not read again', () => {
	const deliveries = new RecentDeliveries();
	const response = new Response();
	expect(deliveries.take('delivery', 5, response)).toBe('new');
	response.end();
	response.statusCode = 500;
	expect(deliver(deliveries, 'delivery')).toBe('accepted');
});
