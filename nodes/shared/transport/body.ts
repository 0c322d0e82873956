import { sleep } from 'n8n-workflow';

/** Limit of a body, and of all pages of a list together: about 30,000 records with ten fields. */
export const maxBodyBytes = 16 * 1024 * 1024;

/** Stops the timers. Created once, because capturing its stack takes longer than reading a body. */
const abortReason = new Error('The body is complete');

interface Body {
	/** Truncated if the body is too large. */
	text: string;
	isTooLarge?: boolean;
	/** Bytes that were read. */
	size: number;
}

/**
 * Reads the body of a response as a stream, up to `maxBodyBytes`: without a limit, a service or
 * proxy that never stops sending would use all of n8n's memory.
 *
 * @param timeoutMs the timeout of the request itself ends where its response begins
 * @throws {Error} the error of the stream, or one with the code ETIMEDOUT
 */
export async function readBody(body: unknown, timeoutMs: number): Promise<Body> {
	if (!isStream(body)) {
		// There is no stream if n8n replaces the response with data, for example in evaluations.
		const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
		return { text, size: Buffer.byteLength(text) };
	}
	const timer = new AbortController();
	const bodyTimeout = sleep(timeoutMs, timer.signal).then((): never => {
		body.destroy();
		throw Object.assign(new Error('The body took too long'), { code: 'ETIMEDOUT' });
	});
	try {
		return await Promise.race([readStream(body), bodyTimeout]);
	} finally {
		timer.abort(abortReason);
	}
}

/**
 * Parses JSON, with or without a byte order mark.
 *
 * @returns `undefined` if the text is empty or isn't JSON
 */
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
