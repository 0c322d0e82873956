import { sleep } from 'n8n-workflow';

/**
 * Waits so many milliseconds; the signal ends it at once, on every n8n: before 2.34, n8n's own `sleep` knows no signal.
 * @throws the signal's reason when it fires
 */
export async function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
	signal?.throwIfAborted();
	await raceWithAbort(sleep(milliseconds, signal), signal);
}

/**
 * Waits for a promise, or until the signal fires.
 * @throws the signal's reason when it fires, or what the promise rejects with
 */
export async function raceWithAbort<Result>(
	promise: Promise<Result>,
	signal?: AbortSignal,
): Promise<Result> {
	if (signal === undefined) return await promise;
	signal.throwIfAborted();
	return await new Promise<Result>((resolve, reject) => {
		const abort = () => {
			reject(signal.reason as Error);
		};
		const stopListening = () => {
			signal.removeEventListener('abort', abort);
		};
		signal.addEventListener('abort', abort);
		void promise.then(resolve, reject).finally(stopListening);
	});
}
