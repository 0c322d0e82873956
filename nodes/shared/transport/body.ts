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

/** An integer so long that JavaScript may not be able to represent it, at the place of a value. */
const longInteger = /[[:,\s]-?\d{16}/;

/** The third argument of a reviver, which TypeScript's types lack. Node.js 20 doesn't pass it. */
interface ReviverContext {
	/** The text of a number, a string or a literal. */
	source?: string;
}

/**
 * Parses JSON, with or without a byte order mark. The only parser of responses and deliveries.
 *
 * An integer that JavaScript can't represent becomes text with its digits: as a number, the ID
 * 9007199254740993 would be another offer, 9007199254740992.
 *
 * @returns `undefined` if the text is empty or isn't JSON
 */
export function parseJson(text: string): unknown {
	try {
		const json = text.replace(/^\uFEFF/, '');
		// A reviver takes longer than the parsing itself.
		return longInteger.test(json) ? JSON.parse(json, reviveLongInteger) : JSON.parse(json);
	} catch {
		return undefined;
	}
}

/**
 * Returns `null` where the digits aren't known, so that an ID can't be read instead of being wrong.
 */
function reviveLongInteger(_key: string, value: unknown, { source }: ReviverContext = {}): unknown {
	if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
	if (source === undefined) return null;
	return /^-?\d+$/.test(source) ? source : value;
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
