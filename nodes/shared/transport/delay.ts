import { sleep } from 'n8n-workflow';

/**
 * Waits, or until the signal aborts.
 *
 * n8n before 2.34: `sleep` ignores the signal, so the wait is raced against it. Every timer of this
 * package is made from `sleep` or AbortSignal, because n8n's lint rule `no-restricted-globals`
 * (@n8n/eslint-plugin-community-nodes 0.32) doesn't allow `setTimeout` and `setInterval`.
 *
 * @throws {unknown} the reason of the signal
 */
export async function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
	signal?.throwIfAborted();
	await raceWithAbort(sleep(milliseconds, signal), signal);
}

/**
 * Waits for a promise, or until the signal aborts.
 *
 * @throws {unknown} the reason of the signal, or that of the promise
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
