import { sleep } from 'n8n-workflow';

/** The most bytes that are read of a body, and of all pages of a list together: some 30,000 records with ten fields. */
export const maxBodyBytes = 16 * 1024 * 1024;

/** The reason with which every timer is stopped. It is made once, because an error with its stack takes longer than reading a body. */
const abortReason = new Error('The body is over');

/** What was read of a body; with `isTooLarge` there is more than may be read, and `text` is only its beginning. */
interface Body {
	text: string;
	isTooLarge?: boolean;
	size: number;
}

/**
 * Reads the body of an answer, as a stream: without a limit, a service or proxy that never stops would take n8n's whole
 * memory. `timeout` in milliseconds; the time-out of the request ends where its answer begins.
 * @throws whatever interrupts the stream, or an error with the code ETIMEDOUT
 */
export async function readBody(body: unknown, timeout: number): Promise<Body> {
	if (!isStream(body)) {
		// In evaluations, for example, n8n puts data in the place of an answer: then there is no stream.
		const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
		return { text, size: Buffer.byteLength(text) };
	}
	const timer = new AbortController();
	const bodyTimeout = sleep(timeout, timer.signal).then((): never => {
		body.destroy();
		throw Object.assign(new Error('The body took too long'), { code: 'ETIMEDOUT' });
	});
	try {
		return await Promise.race([readStream(body), bodyTimeout]);
	} finally {
		timer.abort(abortReason);
	}
}

/** The value of a JSON text; undefined when it is empty or not JSON. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		return undefined;
	}
}

async function readStream(stream: AsyncIterable<Uint8Array>): Promise<Body> {
	const decoder = new TextDecoder();
	let text = '';
	let size = 0;
	for await (const chunk of stream) {
		size += chunk.byteLength;
		if (size > maxBodyBytes) return { text: text.slice(0, 1000), isTooLarge: true, size };
		text += decoder.decode(chunk, { stream: true });
	}
	return { text: text + decoder.decode(), size };
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> & { destroy: () => void } {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
