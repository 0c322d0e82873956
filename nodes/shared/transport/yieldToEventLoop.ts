import { monotonicNow } from '../utils/time';
import { delay } from './delay';

const maxBlockingMs = 20;

/**
 * Creates a function to await inside long loops. It yields to the event loop after 20 ms of work,
 * because n8n does everything in one thread.
 *
 * The returned function throws the reason of the signal if it has aborted.
 */
export function createYielder(signal?: AbortSignal): () => Promise<void> {
	let startedAt = monotonicNow();
	return async () => {
		if (monotonicNow() - startedAt < maxBlockingMs) return;
		await delay(0, signal);
		startedAt = monotonicNow();
	};
}
