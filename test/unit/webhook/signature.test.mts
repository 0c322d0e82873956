/** Valid and invalid signatures. */
import { createHmac, createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import {
	type Key,
	parseSecret,
	verifySignature,
} from '../../../nodes/BacklinkExchangeWebhookTrigger/verifySignature.ts';

const secret = 'a secret with ünicode';
const body = Buffer.from('{"id":"exc_5","accepted_at":"2026-07-01T12:00:00Z"}');
const now = Date.parse('2026-07-01T12:00:00Z');

function digest(content: string | Buffer, key: Key = secret): Buffer {
	return createHmac('sha256', key).update(content).digest();
}

/** Returns a signed header with this timestamp. */
function timestamped(timestamp: unknown): string {
	const signature = digest(`${String(timestamp)}.${body.toString()}`).toString('hex');
	return `t=${String(timestamp)},v1=${signature}`;
}

function verify(header: string | undefined, keys = parseSecret(secret), settings = {}) {
	return verifySignature({ body, header }, keys, { now, ...settings });
}

const seconds = now / 1000;
const hex = digest(body).toString('hex');
const base64 = digest(body).toString('base64');
const base64url = digest(body).toString('base64url');
const other = 'ab'.repeat(32);

/** A published example with its source: what a real sender signs, and the format of its header. */
interface Vector {
	name: string;
	source: string;
	/** Encoding of the secret; by default it is plain text. */
	keyEncoding?: 'hex';
	secret: string;
	/** Epoch seconds. */
	timestamp?: string;
	/** The body; after ID and timestamp for senders that sign an ID as well. */
	body: string;
	header: string;
}
const vectors = JSON.parse(
	readFileSync(path.join(import.meta.dirname, 'signatureVectors.json'), 'utf8'),
) as Vector[];

test.each(vectors)('accepts $name ($source)', (vector) => {
	const { keyEncoding, secret: text, timestamp = '0', body: content, header } = vector;
	const keys = keyEncoding === 'hex' ? [createSecretKey(text, 'hex')] : parseSecret(text);
	const verifyBody = (sent: string) =>
		verifySignature({ body: Buffer.from(sent), header }, keys, { now: Number(timestamp) * 1000 });
	expect(verifyBody(content)).toBeUndefined();
	expect(verifyBody(`${content} `)).toContain("doesn't match");
});

test.each([
	['upper-case hex', hex.toUpperCase()],
	['base64 without padding', base64.replace('=', '')],
	['sha256=', `sha256=${hex}`],
	['v1=', `v1=${base64}`],
	['v0=', `v0=${hex}`],
	['SHA256=', `SHA256=${hex}`],
	['hmac-sha256=', `hmac-sha256=${base64}`],
	['signature=', `signature=${base64url}`],
	['a name and base64 without padding', `x.y_z=${base64.replace('=', '')}`],
	['quotes', `"sha256=${hex}"`],
	['quotes after the name', `Signature="${base64}"`],
	['quotes and a timestamp', `"${timestamped(seconds)}"`],
	['other parameters', `keyId="k1", algorithm="hmac-sha256", signature="${base64}"`],
	['bare base64url', base64url],
	['several with commas', `v1=${other},v1=${hex}`],
	['several with spaces', `v1,${other} v1,${hex}`],
	['two headers, as Node.js joins them', `sha256=${other}, sha256=${hex}`],
	['another algorithm as well', `sha1=${'0'.repeat(40)},sha256=${hex}`],
	['another version as well', `v0=${other},v1=${hex}`],
	['timestamp and body signed', timestamped(seconds)],
	['ten signatures', [...Array<string>(9).fill(other), hex].join(',')],
])('accepts a header with %s', (_name, header) => {
	expect(verify(header)).toBeUndefined();
});

test.each([
	['none', undefined, 'has no signature'],
	['empty', '', 'has no signature'],
	['another signature', other, "doesn't match"],
	['another signature with an old timestamp', `t=1,v1=${other}`, "doesn't match"],
	['no signature', 'hello', "doesn't contain a signature in a known form"],
	[
		'hex of mixed case',
		hex.replace(/[a-f]/, (letter) => letter.toUpperCase()),
		"doesn't contain a signature in a known form",
	],
	['SHA-1', `sha1=${'0'.repeat(40)}`, "doesn't contain a signature in a known form"],
	['only a timestamp', `t=${seconds}`, "doesn't contain a signature in a known form"],
	[
		'two timestamps in quotes',
		`"t=1","t=${seconds}",v1=${hex}`,
		"doesn't contain a signature in a known form",
	],
	['another signature with a name', `signature=${other}`, "doesn't match"],
	[
		'eleven names',
		Array<string>(11).fill(`x=${hex}`).join(','),
		"doesn't contain a signature in a known form",
	],
	[
		'a signature split by a quote',
		`${hex.slice(0, 32)}"${hex.slice(32)}`,
		"doesn't contain a signature",
	],
	['two timestamps', `t=1,${timestamped(seconds)}`, "doesn't contain a signature in a known form"],
	['an unsigned timestamp', `t=${seconds},v1=${hex}`, "doesn't match"],
	[
		'eleven signatures',
		Array<string>(11).fill(hex).join(','),
		"doesn't contain a signature in a known form",
	],
	['1025 characters', hex.padEnd(1025), 'is too long'],
])('rejects a header with %s', (_name, header, flaw) => {
	expect(verify(header)).toContain(flaw);
});

describe('a timestamp', () => {
	test.each([
		[300, true],
		[301, false],
		[-300, true],
		[-301, false],
	])('%d s away is valid: %s', (ageSeconds, counts) => {
		const settings = { now: now + ageSeconds * 1000 };
		expect(verify(timestamped(seconds), parseSecret(secret), settings) === undefined).toBe(counts);
	});

	test.each(['', 'x1', '1', '2026-07-01'])('is stale if it is no time: %j', (text) => {
		expect(verify(timestamped(text))).toContain('too far from the time');
	});
});

describe('a secret', () => {
	test.each(['', '   ', '\n', 5, true, null])(
		'%j gives no key, and no delivery is valid',
		(blank) => {
			expect(parseSecret(blank)).toEqual([]);
			const header = digest(body, String(blank)).toString('hex');
			expect(verify(header, parseSecret(blank))).toContain('no webhook secret');
		},
	);

	test('is valid with and without pasted whitespace', () => {
		expect(verify(hex, parseSecret(` ${secret}\n`))).toBeUndefined();
		expect(
			verify(digest(body, ` ${secret}`).toString('hex'), parseSecret(` ${secret}`)),
		).toBeUndefined();
	});

	test.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_a-_b'])(
		'is valid as text and decoded: %s',
		(text) => {
			for (const key of [text, createSecretKey(text.slice(6), 'base64url')]) {
				expect(verify(digest(body, key).toString('hex'), parseSecret(text))).toBeUndefined();
			}
		},
	);

	test.each(['v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', ' v1,whsec_a-_b\n'])(
		'is valid with v1, in front: %j',
		(text) => {
			const secret = text.trim().slice(3);
			for (const key of [secret, createSecretKey(secret.slice(6), 'base64url')]) {
				expect(verify(digest(body, key).toString('hex'), parseSecret(text))).toBeUndefined();
			}
		},
	);

	test.each(['whsec_', 'whsec_=', ' whsec_ ', 'v1,whsec_', 'v1,whsec_=='])(
		'is no key if it is only the prefix %j',
		(text) => {
			expect(parseSecret(text)).toEqual([]);
		},
	);

	test('ignores a `whsec_` secret that decodes to zero bytes', () => {
		expect(verify(digest(body, '').toString('hex'), parseSecret('whsec_A'))).toContain(
			"doesn't match",
		);
	});

	test.each(['my whsec_MfKQ9r8GKYqrTwjU', 'whsec_MfKQ9r8GKYqrTwjU!'])(
		'is decoded only after the prefix and to its end: %s',
		(text) => {
			expect(parseSecret(text)).toEqual([text]);
		},
	);
});
