import { sleep } from 'n8n-workflow';

/**
 * Waits so many milliseconds; the signal ends it at once, on every n8n: before 2.34, n8n's own `sleep` knows no signal.
 * @throws the signal's reason when it fires
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	await orAbort(sleep(milliseconds, signal), signal);
}

/**
 * Waits for a promise, or until the signal fires.
 * @throws the signal's reason when it fires
 */
export async function orAbort<Value>(
	promise: Promise<Value>,
	signal?: AbortSignal,
): Promise<Value> {
	if (signal === undefined) return await promise;
	const over = new AbortController();
	const aborted = new Promise<never>((_resolve, reject) => {
		const abort = () => {
			reject(signal.reason as Error);
		};
		if (signal.aborted) abort();
		else signal.addEventListener('abort', abort, { once: true, signal: over.signal });
	});
	try {
		return await Promise.race([aborted, promise]);
	} finally {
		over.abort();
	}
}
