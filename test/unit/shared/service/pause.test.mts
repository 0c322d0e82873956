/** Waiting: a pause ends with its time or with the signal, and leaves nothing behind; much work lets others have a turn. */
import { getEventListeners } from 'node:events';

import { expect, test, vi } from 'vitest';

import { orAborted, pause, sharedThread } from '../../../../nodes/shared/service/pause.ts';

test('a pause that is over leaves nothing behind at the signal', async () => {
	const { signal } = new AbortController();
	for (let count = 0; count < 3; count++) await pause(1, signal);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('the signal ends a pause at once, with its reason, also one that has not begun', async () => {
	const canceled = new AbortController();
	const paused = pause(1e9, canceled.signal);
	canceled.abort(new Error('canceled'));
	await expect(paused).rejects.toThrow('canceled');
	await expect(pause(1e9, canceled.signal)).rejects.toThrow('canceled');
});

test('the signal ends the wait for what knows nothing of it', async () => {
	const canceled = new AbortController();
	const waited = orAborted(new Promise(() => undefined), canceled.signal);
	canceled.abort(new Error('canceled'));
	await expect(waited).rejects.toThrow('canceled');
});

test('after 20 ms of work, others of this process have a turn, and again after the next 20', async () => {
	vi.useFakeTimers({ toFake: ['performance'] });
	const share = sharedThread();
	const givesTurn = async (worked: number) => {
		let hadTurn = false;
		setTimeout(() => {
			hadTurn = true;
		}, 0);
		vi.advanceTimersByTime(worked);
		await share();
		return hadTurn;
	};
	expect([await givesTurn(19), await givesTurn(1), await givesTurn(19)]).toEqual([
		false,
		true,
		false,
	]);
	vi.useRealTimers();
});
