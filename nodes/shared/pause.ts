import { sleep } from 'n8n-workflow';

/**
 * Waits so many milliseconds; the signal ends it at once, on every n8n: before 2.34, n8n's own `sleep` knows no signal.
 * @throws the signal's reason when it fires
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	signal?.throwIfAborted();
	await orAbort(sleep(milliseconds, signal), signal);
}

/**
 * Waits for the promise, but no longer than until the signal fires.
 * @throws the signal's reason when it fires, and whatever the promise is rejected with
 */
export async function orAbort<Result>(
	promise: Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	if (signal === undefined) return await promise;
	signal.throwIfAborted();
	let abort = () => {};
	const aborted = new Promise<never>((_resolve, reject) => {
		abort = () => {
			reject(signal.reason as Error);
		};
		signal.addEventListener('abort', abort);
	});
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		signal.removeEventListener('abort', abort);
	}
}
