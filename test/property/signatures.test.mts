/**
 * Random signatures and variations of them: nothing throws, no forged delivery is accepted, no
 * genuine one rejected.
 */
import { createHmac, createSecretKey } from 'node:crypto';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	parseSecret,
	verifySignature,
} from '../../nodes/BacklinkExchangeWebhookTrigger/verifySignature.ts';
import { trimInvisible } from '../../nodes/shared/utils/text.ts';

const secret = fc
	.oneof(
		fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
		fc.base64String({ minLength: 4, maxLength: 60 }).map((text) => `whsec_${text}`),
	)
	.filter((text) => /[!-~]/.test(trimInvisible(text)));
const pieces = fc.constantFrom(
	...[
		't=',
		't=1',
		'v1=',
		'v1,',
		'v0=',
		'sha256=',
		'x=',
		'"',
		',',
		';',
		' ',
		'\t',
		'=',
		'\0',
		'\uFEFF',
	],
	...['0', '9', 'a', 'F'].map((digit) => digit.repeat(64)),
);
const noise = fc
	.array(
		fc.oneof(
			pieces,
			fc.string({ unit: 'binary', maxLength: 90 }),
			fc.nat(20_000).map((length) => 'a'.repeat(length)),
		),
		{ maxLength: 60 },
	)
	.map((parts) => parts.join(''));
const delivery = fc.record({
	secret,
	other: secret,
	body: fc.uint8Array({ minLength: 1, maxLength: 4000 }).map((bytes) => Buffer.from(bytes)),
	encoding: fc.constantFrom('hex' as const, 'base64' as const, 'base64url' as const),
	timestamp: fc.option(fc.integer({ min: 1e8, max: 4e9 }), { nil: undefined }),
	/** Names of a signature, which prove nothing. */
	name: fc.constantFrom('', 'v1', 'v0', 'SHA256', 'hmac-sha256', 'signature', 'T', '__proto__'),
	quote: fc.constantFrom('', '"', "'"),
	noise,
	bit: fc.nat(),
	nowOffset: fc.integer({ min: -300, max: 300 }),
});

test('accepts only what was signed', () => {
	fc.assert(
		fc.property(delivery, ({ secret, other, body, encoding, timestamp, ...drawn }) => {
			const prefix = timestamp === undefined ? '' : `${timestamp}.`;
			const digest = createHmac('sha256', secret).update(prefix).update(body).digest(encoding);
			const named = drawn.name === '' ? digest : `${drawn.name}=${digest}`;
			const unquoted = timestamp === undefined ? named : `t=${timestamp},${named}`;
			const header = `${drawn.quote}${unquoted}${drawn.quote}`;
			const now = ((timestamp ?? 0) + drawn.nowOffset) * 1000;
			const isValid = (changed: object, keys = parseSecret(secret)) =>
				verifySignature({ body, header, ...changed }, keys, { now }) === undefined;
			expect(isValid({}), 'an honest delivery').toBe(true);
			expect(isValid({ header: drawn.noise }), 'noise').toBe(false);
			expect(isValid({ body: Buffer.concat([body, Buffer.from(' ')]) }), 'a longer body').toBe(
				false,
			);
			expect(isValid({ body: flipped(body, drawn.bit) }), 'a changed body').toBe(false);
			const changed = flipped(Buffer.from(digest), drawn.bit).toString('latin1');
			const forged = header.replace(digest, () => changed);
			expect(isValid({ header: forged }), 'a changed signature').toBe(false);
			const changedKey = createSecretKey(flipped(Buffer.from(secret), drawn.bit));
			expect(isValid({}, [changedKey]), 'a changed key').toBe(false);
			// HMAC pads keys with zeros, so a key and the same key with trailing zeros are equal.
			const isPadded = /\0$/.test(other) || /\0$/.test(secret);
			if (trimInvisible(other) !== trimInvisible(secret) && !isPadded) {
				expect(isValid({}, parseSecret(other)), 'another key').toBe(false);
			}
		}),
		{ numRuns: 500 },
	);
});

function flipped(bytes: Buffer, bit: number): Buffer {
	const copy = Buffer.from(bytes);
	const position = bit % (bytes.length * 8);
	copy.writeUInt8(copy.readUInt8(position >> 3) ^ (1 << (position & 7)), position >> 3);
	return copy;
}
