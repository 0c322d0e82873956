import { monotonicNow } from '../utils/time';
import { delay } from './delay';
/** Milliseconds after which work lets others have a turn. */
const maxBlockingMs = 20;

/**
 * The result is to be awaited between small pieces of much work, because n8n does everything in one thread: after some
 * milliseconds of work, whatever else waits in this process gets its turn.
 * @throws the signal's reason when it has fired
 */
export function createYielder(signal?: AbortSignal): () => Promise<void> {
	let startedAt = monotonicNow();
	return async () => {
		if (monotonicNow() - startedAt < maxBlockingMs) return;
		await delay(0, signal);
		startedAt = monotonicNow();
	};
}
