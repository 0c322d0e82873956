/** How often the credential is read, and what a delivery is answered when it cannot be. */
import type { IWebhookFunctions } from 'n8n-workflow';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { findRefusal } from '../../../nodes/BacklinkExchangeTrigger/verify.ts';

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});
afterEach(() => {
	vi.useRealTimers();
});

/** A node of its own; what is refused is answered with the status. */
function triggerWith(credentials: object | undefined, read: () => Promise<unknown>) {
	const getCredentials = vi.fn(read);
	const context = {
		getNode: () => ({ id: crypto.randomUUID(), ...(credentials && { credentials }) }),
		getWorkflow: () => ({ id: 'workflow' }),
		getCredentials,
	} as unknown as IWebhookFunctions;
	const node = context.getNode();
	context.getNode = () => node;
	const settings = { tolerance: 300 } as never;
	return {
		getCredentials,
		deliver: async () =>
			(await findRefusal(context, Buffer.from('{}'), 'ab'.repeat(32), settings))?.status,
	};
}

const named = { backlinkExchangeApi: { id: '1', name: 'Test' } };

test('the credential is read once in two seconds, whatever is done to the clock', async () => {
	const { deliver, getCredentials } = triggerWith(named, () =>
		Promise.resolve({ webhookSecret: 'secret' }),
	);
	for (let count = 0; count < 5; count++) expect(await deliver()).toBe(401);
	expect(getCredentials).toHaveBeenCalledTimes(1);
	vi.setSystemTime(0);
	vi.advanceTimersByTime(2000);
	await deliver();
	expect(getCredentials).toHaveBeenCalledTimes(2);
});

test('one that cannot be read, or holds no secret, is read again for the next delivery', async () => {
	const unreadable = triggerWith(named, () => Promise.reject(new Error('the database is away')));
	expect([await unreadable.deliver(), await unreadable.deliver()]).toEqual([503, 503]);
	expect(unreadable.getCredentials).toHaveBeenCalledTimes(2);
	const empty = triggerWith(named, () => Promise.resolve({ webhookSecret: '' }));
	expect([await empty.deliver(), await empty.deliver()]).toEqual([401, 401]);
	expect(empty.getCredentials).toHaveBeenCalledTimes(2);
});
