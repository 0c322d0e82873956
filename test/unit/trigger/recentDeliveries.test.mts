import { EventEmitter } from 'node:events';

import { expect, test } from 'vitest';

import { RecentDeliveries } from '../../../nodes/BacklinkExchangeTrigger/recentDeliveries.ts';

class Response extends EventEmitter {
	statusCode = 200;
	writableEnded = false;

	/** As n8n does when it has answered. */
	end(statusCode = 200): void {
		this.statusCode = statusCode;
		this.writableEnded = true;
		this.emit('close');
	}
}

async function deliver(deliveries: RecentDeliveries, key: string, minutes = 5) {
	const response = new Response();
	const taken = await deliveries.take(key, minutes, response);
	response.end();
	return taken;
}

test('it is bounded: the oldest is forgotten first', async () => {
	const deliveries = new RecentDeliveries();
	for (let count = 0; count <= 10_000; count++) await deliver(deliveries, `delivery ${count}`);
	expect(await deliver(deliveries, 'delivery 1')).toBe('accepted');
	expect(await deliver(deliveries, 'delivery 0')).toBe('new');
});

test('how n8n answered is noted when it does, and its response not looked at again', async () => {
	const deliveries = new RecentDeliveries();
	const response = new Response();
	expect(await deliveries.take('delivery', 5, response)).toBe('new');
	response.end();
	response.statusCode = 500;
	expect(await deliver(deliveries, 'delivery')).toBe('accepted');
});
