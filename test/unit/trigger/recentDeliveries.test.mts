import { EventEmitter } from 'node:events';

import { expect, onTestFinished, test, vi } from 'vitest';

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

function deliver(deliveries: RecentDeliveries, key: string, minutes = 5) {
	const response = new Response();
	const taken = deliveries.take(key, minutes, response);
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

test('it is new again when its minutes are over, whatever is done to the clock', () => {
	vi.useFakeTimers({ toFake: ['Date', 'performance'] });
	onTestFinished(() => void vi.useRealTimers());
	const deliveries = new RecentDeliveries();
	deliver(deliveries, 'delivery');
	vi.setSystemTime(0);
	for (let count = 0; count < 5000; count++) deliver(deliveries, `earlier ${count}`);
	vi.advanceTimersByTime(5 * 60_000 - 1);
	expect(deliver(deliveries, 'delivery')).toBe('accepted');
	vi.advanceTimersByTime(1);
	expect(deliver(deliveries, 'delivery')).toBe('new');
	// From now on it is the newest one, so others are forgotten before it.
	for (let count = 0; count < 5000; count++) deliver(deliveries, `later ${count}`);
	expect(deliver(deliveries, 'delivery')).toBe('accepted');
});
