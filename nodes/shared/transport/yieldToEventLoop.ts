import { steadyNow } from '../utils/time';
import { pause } from './delay';
/** Milliseconds after which work lets others have a turn. */
const maxBlockingMs = 20;

/**
 * The result is to be awaited between small pieces of much work, because n8n does everything in one thread: after some
 * milliseconds of work, whatever else waits in this process gets its turn.
 * @throws the signal's reason when it has fired
 */
export function sharedThread(signal?: AbortSignal): () => Promise<void> {
	let begun = steadyNow();
	return async () => {
		if (steadyNow() - begun < maxBlockingMs) return;
		await pause(0, signal);
		begun = steadyNow();
	};
}
