import { sleep } from 'n8n-workflow';

/**
 * Waits so many milliseconds; the signal ends it at once, on every n8n: before 2.34, n8n's own `sleep` knows no signal.
 * @throws the signal's reason when it fires
 */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
	if (signal === undefined) {
		await sleep(milliseconds);
		return;
	}
	signal.throwIfAborted();
	const slept = new AbortController();
	const stopped = new Promise<never>((_resolve, reject) => {
		const stop = () => {
			reject(signal.reason as Error);
		};
		signal.addEventListener('abort', stop, { once: true, signal: slept.signal });
	});
	try {
		await Promise.race([sleep(milliseconds, signal), stopped]);
	} finally {
		slept.abort();
	}
}
