/** Which signatures count. */
import { createHmac, createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import {
	type Key,
	keysOf,
	verifySignature,
} from '../../../nodes/BacklinkExchangeWebhookTrigger/signature.ts';
import { checkSignatures } from '../../fuzz/signatures.mts';

/** Published by others, each with its source: what real senders sign and how it looks. */
interface Vector {
	name: string;
	source: string;
	keyEncoding: string;
	secret: string;
	id?: string;
	timestamp?: string;
	body: string;
	signed: string;
	header: string;
}
const vectors = JSON.parse(
	readFileSync(path.join(import.meta.dirname, 'signatureVectors.json'), 'utf8'),
) as Vector[];

const secret = 'a secret with ünicode';
const body = Buffer.from('{"id":"exc_5","accepted_at":"2026-07-01T12:00:00Z"}');
const now = Date.parse('2026-07-01T12:00:00Z');
const seconds = now / 1000;

function digest(content: string | Buffer, key: Key = secret): Buffer {
	return createHmac('sha256', key).update(content).digest();
}

function verify(header: string | undefined, keys = keysOf(secret), settings = {}) {
	return verifySignature({ body, header }, keys, { now, ...settings });
}

const hex = digest(body).toString('hex');
const timestamped = `t=${seconds},v1=${digest(`${seconds}.${body.toString()}`).toString('hex')}`;

describe('published test vectors', () => {
	const vectorKeys = ({ keyEncoding, secret: text }: Vector) =>
		keyEncoding === 'hex' ? [createSecretKey(text, 'hex')] : keysOf(text);

	it.each(vectors)('$name ($source)', (vector) => {
		const keys = vectorKeys(vector);
		// This one signs the id of the message as well, which comes in a header that the service does not document.
		const hasId = vector.signed.startsWith('{id}');
		const content = hasId
			? `${vector.id ?? ''}.${vector.timestamp ?? ''}.${vector.body}`
			: vector.body;
		const settings = { now: Number(vector.timestamp ?? 0) * 1000 };
		const delivery = { body: Buffer.from(content), header: vector.header };
		expect(verifySignature(delivery, keys, settings)).toBe('valid');
		expect(verifySignature({ ...delivery, body: Buffer.from(`${content} `) }, keys, settings)).toBe(
			'noMatch',
		);
	});
});

describe('forms of the header', () => {
	const other = 'ab'.repeat(32);
	const base64 = digest(body).toString('base64');
	it.each([
		['lower-case hex', hex],
		['upper-case hex', hex.toUpperCase()],
		['base64', base64],
		['base64 without padding', base64.replace('=', '')],
		['base64url', digest(body).toString('base64url')],
		['sha256=', `sha256=${hex}`],
		['v1=', `v1=${base64}`],
		['v1,', `v1,${base64}`],
		['blanks around', `  ${hex}\t`],
		['several with commas', `v1=${other},v1=${hex}`],
		['several with blanks', `v1,${other} v1,${hex}`],
		['two headers, as Node.js joins them', `sha256=${other}, sha256=${hex}`],
		['two headers, the right one first', `sha256=${hex}, sha256=${other}`],
		['another algorithm beside it', `sha1=${'0'.repeat(40)},sha256=${hex}`],
		['another version beside it', `v0=${other},v1=${hex}`],
		['timestamp and body signed', timestamped],
		['timestamp that is not signed', `t=${seconds},v1=${hex}`],
		['ten signatures', [...Array<string>(9).fill(other), hex].join(',')],
	])('%s is understood', (_name, header) => {
		expect(verify(header)).toBe('valid');
	});

	it.each([
		['none', undefined, 'missingHeader'],
		['empty', '', 'missingHeader'],
		['blank', '  ', 'missingHeader'],
		['another signature', 'ab'.repeat(32), 'noMatch'],
		['no signature', 'hello', 'malformedHeader'],
		[
			'hex of mixed case',
			hex.replace(/[a-f]/, (letter) => letter.toUpperCase()),
			'malformedHeader',
		],
		['hex cut short', hex.slice(2), 'malformedHeader'],
		['SHA-1', `sha1=${'0'.repeat(40)}`, 'malformedHeader'],
		['under a name that is not v1', `v0=${hex}`, 'malformedHeader'],
		['only a timestamp', `t=${seconds}`, 'malformedHeader'],
		['two timestamps', `t=1,${timestamped}`, 'malformedHeader'],
		['eleven signatures', Array<string>(11).fill(hex).join(','), 'malformedHeader'],
		['longer than 1024 characters', `${hex},${' '.repeat(1024)}`, 'headerTooLong'],
	])('%s is refused', (_name, header, flaw) => {
		expect(verify(header)).toBe(flaw);
	});

	it('refuses base64 whose last character has bits that do not count', () => {
		const unpadded = base64.replace('=', '');
		const last = unpadded.at(-1) ?? '';
		const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
		const twin = unpadded.slice(0, -1) + (alphabet[alphabet.indexOf(last) + 1] ?? '');
		expect(Buffer.from(twin, 'base64')).toEqual(Buffer.from(unpadded, 'base64'));
		expect(verify(twin)).toBe('malformedHeader');
	});
});

describe('settings', () => {
	it.each([
		[300, 300, true],
		[300, 301, false],
		[300, -300, true],
		[300, -301, false],
		[0, 1e9, true],
		[Number.NaN, 0, false],
	])('tolerance %d s, %d s away: accepted %s', (tolerance, away, accepted) => {
		const later = { tolerance, now: now + away * 1000 };
		expect(verify(timestamped, keysOf(secret), later)).toEqual(accepted ? 'valid' : 'stale');
	});

	it('reads a header of up to 1024 characters', () => {
		expect(verify(hex.padEnd(1024))).toBe('valid');
		expect(verify(hex.padEnd(1025))).toBe('headerTooLong');
	});

	it('takes no timestamp that is no moment, unless any will do, and signs none where there is none', () => {
		for (const text of ['', 'x1', '1x', '1', '-1', '2026-07-01']) {
			expect(verify(`t=${text},v1=${hex}`), text).toBe('stale');
			expect(verify(`t=${text},v1=${hex}`, keysOf(secret), { tolerance: 0 })).toBe('valid');
		}
		const withUndefined = digest(`undefined.${body.toString()}`).toString('hex');
		expect(verify(withUndefined)).toBe('noMatch');
	});

	it.each([now, `${seconds}.000`, '2026-07-01T12:00:00Z', '2026-07-01T14:00:00.000+02:00'])(
		'reads the timestamp %s',
		(written) => {
			const header = `t=${written},v1=${digest(`${written}.${body.toString()}`).toString('hex')}`;
			expect(verify(header)).toBe('valid');
			expect(verify(header, keysOf(secret), { now: now + 301_000 })).toBe('stale');
		},
	);

	it('does not call a forged delivery stale', () => {
		expect(verify(`t=1,v1=${'ab'.repeat(32)}`)).toBe('noMatch');
	});
});

describe('keys', () => {
	it.each(['', '   ', '\n', 5, true, null])(
		'a secret %j gives none, and nothing gets in',
		(blank) => {
			expect(keysOf(blank)).toEqual([]);
			const header = digest(body, String(blank)).toString('hex');
			expect(verify(header, keysOf(blank))).toBe('noKey');
		},
	);

	it('takes blanks that came along when pasting for what they are', () => {
		expect(verify(hex, keysOf(` ${secret}\n`))).toBe('valid');
		expect(verify(digest(body, ` ${secret}`).toString('hex'), keysOf(` ${secret}`))).toBe('valid');
	});

	it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_a-_b'])(
		'%s: as text and decoded',
		(text) => {
			const decoded = createSecretKey(text.slice(6), 'base64url');
			expect(verify(digest(body, text).toString('hex'), keysOf(text))).toBe('valid');
			expect(verify(digest(body, decoded).toString('hex'), keysOf(text))).toBe('valid');
		},
	);

	it('does not take a prefix without a key for an empty key', () => {
		const header = digest(body, '').toString('hex');
		expect(verify(header, keysOf('whsec_'))).toBe('noMatch');
		expect(verify(header, keysOf('whsec_='))).toBe('noMatch');
		// Base64 of less than a byte.
		expect(verify(header, keysOf('whsec_A'))).toBe('noMatch');
	});

	it.each(['my whsec_MfKQ9r8GKYqrTwjU', 'whsec_MfKQ9r8GKYqrTwjU!'])(
		'decodes nothing but what follows the prefix to its end (%s)',
		(text) => {
			expect(keysOf(text)).toEqual([text]);
		},
	);
});

it('for any input, what was signed is accepted, and nothing beside it', () => {
	checkSignatures(2000);
});
