import { sleep } from 'n8n-workflow';

import type { ServiceResponse } from './response';

/**
 * The most memory that a body may take, and all pages of a list together, in bytes: with it, n8n stands what a hostile service
 * sends within 512 MB (`npm run test:long -- chaos`). A record with ten fields takes about 500.
 */
export const mostBytes = 32 * 1024 * 1024;
/**
 * Bytes of memory that a list or an object takes beyond its text, and that each further value in it takes. The length of
 * the text alone shows too little, because two bytes of it may stand for an object.
 */
const bytesOfObject = 64;
const bytesOfValue = 16;
const [openBrace, openBracket, comma] = Buffer.from('{[,');
/** How deeply a JSON body may be nested. */
const deepest = 200;
/** Characters that are kept of a body that is too large; they are enough to see that it is not empty. */
const beginning = 1000;

/** The reason with which every timer is stopped. It is made once, because an error with its stack takes longer than reading a body. */
const isOver = new Error('The body is over');

/** What was read of a body; with `isTooLarge` there is more than may be read, and `text` is its beginning. */
type Body = Pick<ServiceResponse, 'text' | 'isTooLarge' | 'size'>;

/**
 * Reads the body of an answer, as a stream: without a limit, a service or proxy that never stops would take n8n's whole
 * memory. `timeout` in milliseconds; the time-out of the request ends where its answer begins.
 * @throws whatever interrupts the stream, or an error with the code ETIMEDOUT; the request has to be aborted then
 */
export async function readBody(body: unknown, timeout: number, most = mostBytes): Promise<Body> {
	if (!isStream(body)) {
		// In evaluations, for example, n8n puts data in the place of an answer: then there is no stream.
		const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
		return { text, isTooLarge: false, size: memoryFor(Buffer.from(text)) };
	}
	const read = new AbortController();
	const late = sleep(timeout, read.signal).then((): never => {
		body.destroy();
		throw Object.assign(new Error('The body took too long'), { code: 'ETIMEDOUT' });
	});
	try {
		return await Promise.race([readStream(body, most), late]);
	} finally {
		read.abort(isOver);
	}
}

/**
 * The value of a JSON text; undefined when it is empty, not JSON, or nested too deeply. Whole numbers that a JavaScript
 * number cannot hold (ids beyond 2^53) come as texts, digit for digit, instead of being rounded to another id.
 */
export function parseJson(text: string): unknown {
	const json = text.replace(/^\uFEFF/, '');
	try {
		const value: unknown = JSON.parse(/\d{16}/.test(json) ? quoteLargeIntegers(json) : json);
		return isTooDeep(value) ? undefined : value;
	} catch {
		return undefined;
	}
}

/**
 * Roughly how many bytes of memory a part of a JSON text takes together with its values. Brackets and commas inside texts
 * count as well, so that the estimate is rather too large than too small.
 * @public The attacks of `npm run test:long -- chaos` measure with it.
 */
export function memoryFor(text: Uint8Array): number {
	let size = text.byteLength;
	for (let index = 0; index < text.length; index++) {
		const sign = text[index];
		if (sign === openBrace || sign === openBracket) size += bytesOfObject;
		else if (sign === comma) size += bytesOfValue;
	}
	return size;
}

/** Whether a value is nested so deeply that copying it would overflow the call stack. */
function isTooDeep(value: unknown, depth = 0): boolean {
	if (depth > deepest) return true;
	const isNested = typeof value === 'object' && value !== null;
	return isNested && Object.values(value).some((part) => isTooDeep(part, depth + 1));
}

async function readStream(stream: AsyncIterable<Uint8Array>, most: number): Promise<Body> {
	const decoder = new TextDecoder();
	let text = '';
	let size = 0;
	for await (const chunk of stream) {
		size += memoryFor(chunk);
		if (size > most) return { text: `${text.slice(0, beginning)}…`, isTooLarge: true, size };
		text += decoder.decode(chunk, { stream: true });
	}
	return { text: text + decoder.decode(), isTooLarge: false, size };
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> & { destroy: () => void } {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** Puts quotes around the whole numbers that would be rounded. `json` has to be valid, because then a backslash is inside a string. */
function quoteLargeIntegers(json: string): string {
	let isInString = false;
	return json.replace(/\\.|"|(?<![\w.+-])-?\d{16,}(?![\w.+-])/g, (token) => {
		if (token === '"') isInString = !isInString;
		const isNumber = token.length >= 16 && !isInString;
		return isNumber && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
	});
}
