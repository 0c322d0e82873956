/** A signature that counts, and everything beside it that must not. */
import { createHmac, createSecretKey } from 'node:crypto';
import { createRequire } from 'node:module';

import fc from 'fast-check';

const require = createRequire(import.meta.url);
const { keysOf, verifySignature } =
	require('../../dist/nodes/BacklinkExchangeWebhookTrigger/signature.js') as typeof import('../../nodes/BacklinkExchangeWebhookTrigger/signature.ts');

const secret = fc
	.oneof(
		fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
		fc.base64String({ minLength: 4, maxLength: 60 }).map((text) => `whsec_${text}`),
	)
	.filter((text) => text.trim() !== '');
const pieces = fc.constantFrom(
	...['t=', 't=1', 'v1=', 'v1,', 'v0=', 'sha256=', ',', ';', ' ', '\t', '=', '\0', '\uFEFF'],
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
	noise,
	bit: fc.nat(),
	nowOffset: fc.integer({ min: -300, max: 300 }),
});

/** @throws Error with the seed when something forged gets in, something honest does not, anything throws or takes long */
export function checkSignatures(numRuns: number, longestMilliseconds = Infinity): void {
	fc.assert(
		fc.property(delivery, ({ secret, other, body, encoding, timestamp, ...drawn }) => {
			const started = performance.now();
			const prefix = timestamp === undefined ? '' : `${timestamp}.`;
			const digest = createHmac('sha256', secret).update(prefix).update(body).digest(encoding);
			const header = timestamp === undefined ? digest : `t=${timestamp},v1=${digest}`;
			const now = ((timestamp ?? 0) + drawn.nowOffset) * 1000;
			const expectResult = (
				isValid: boolean,
				what: string,
				changed: object,
				keys = keysOf(secret),
			) => {
				const valid = verifySignature({ body, header, ...changed }, keys, { now }) === 'valid';
				if (valid !== isValid) throw new Error(`${what} is ${valid ? 'accepted' : 'refused'}`);
			};
			expectResult(true, 'an honest delivery', {});
			expectResult(false, 'noise', { header: drawn.noise });
			expectResult(false, 'a longer body', { body: Buffer.concat([body, Buffer.from(' ')]) });
			expectResult(false, 'a changed body', { body: flipped(body, drawn.bit) });
			const changed = flipped(Buffer.from(digest), drawn.bit).toString('latin1');
			expectResult(false, 'a changed signature', { header: header.replace(digest, () => changed) });
			const changedKey = createSecretKey(flipped(Buffer.from(secret), drawn.bit));
			expectResult(false, 'a changed key', {}, [changedKey]);
			// HMAC pads keys with zeros, so a key and the same key with zeros behind it are one.
			const isPadded = /\0$/.test(other) || /\0$/.test(secret);
			if (other.trim() !== secret.trim() && !isPadded) {
				expectResult(false, 'another key', {}, keysOf(other));
			}
			const took = performance.now() - started;
			if (took > longestMilliseconds) throw new Error(`it took ${Math.round(took)} ms`);
		}),
		{ numRuns },
	);
}

function flipped(bytes: Buffer, bit: number): Buffer {
	const copy = Buffer.from(bytes);
	const position = bit % (bytes.length * 8);
	copy.writeUInt8(copy.readUInt8(position >> 3) ^ (1 << (position & 7)), position >> 3);
	return copy;
}
