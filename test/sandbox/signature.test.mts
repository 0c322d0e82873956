/** X-PB-Signature in every dialect, against an HMAC that is computed apart and against the examples of other services. */
import { describe, expect, it } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
import { signatureHeader } from '../../sandbox/wire/signature.mts';
import { describeSetting, hmac, openBoth, secret } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12);

/** The signature header and body of one delivery. */
async function signed(dialect: Partial<Dialect>): Promise<{ header: string; body: string }> {
	const { sandbox, receiver } = await openBoth({ dialect, clock: () => now });
	sandbox.requestOffer();
	await sandbox.settled();
	return {
		header: String(receiver.received[0]?.headers['x-pb-signature']),
		body: receiver.received[0]?.body ?? '',
	};
}

const encodings = {
	hex: (hex: string) => hex,
	'hex-upper': (hex: string) => hex.toUpperCase(),
	base64: (hex: string) => Buffer.from(hex, 'hex').toString('base64'),
	base64url: (hex: string) => Buffer.from(hex, 'hex').toString('base64url'),
};
describeSetting('signatureEncoding', encodings, async (dialect, encode) => {
	const { header, body } = await signed(dialect);
	expect(header).toBe(encode(hmac(body)));
});

const forms = {
	bare: 'HEX',
	'prefix-sha256': 'sha256=HEX',
	'prefix-v1-equals': 'v1=HEX',
	'prefix-v1-comma': 'v1,HEX',
	'several-by-comma': 'v1=(?!HEX)[0-9a-f]{64},v1=HEX',
	'several-by-space': 'v1,(?!HEX)[0-9a-f]{64} v1,HEX',
	timestamped: `t=${now / 1000},v1=HEX`,
};
describeSetting('signatureHeader', forms, async (dialect, form) => {
	const { header, body } = await signed(dialect);
	expect(header).toMatch(new RegExp(`^${form.replaceAll('HEX', hmac(body))}$`));
});

const contents = {
	body: (body: string) => hmac(body),
	'timestamp-body': (body: string) => `t=${now / 1000},v1=${hmac(`${now / 1000}.${body}`)}`,
};
describeSetting('signedContent', contents, async (dialect, expected) => {
	const { header, body } = await signed(dialect);
	expect(header).toBe(expected(body));
});

const keys = {
	utf8: secret,
	'whsec-base64': Buffer.from(secret.slice('whsec_'.length), 'base64'),
};
describeSetting('hmacKey', keys, async (dialect, key: string | Buffer) => {
	const { header, body } = await signed(dialect);
	expect(header).toBe(hmac(body, key));
});

describe('other services', () => {
	const plain = {
		signatureEncoding: 'hex',
		signatureHeader: 'bare',
		signedContent: 'body',
		hmacKey: 'utf8',
	} as const;

	it('would have signed the same, where they publish an example', () => {
		// RFC 4231, test case 2.
		expect(signatureHeader('what do ya want for nothing?', 'Jefe', 0, plain)).toBe(
			'5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
		);
		// docs.github.com, "Validating webhook deliveries".
		expect(
			signatureHeader('Hello, World!', "It's a Secret to Everybody", 0, {
				...plain,
				signatureHeader: 'prefix-sha256',
			}),
		).toBe('sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17');
		// Accepted by stripe-node's constructEvent.
		expect(
			signatureHeader(
				'{\n  "id": "evt_test_webhook",\n  "object": "event"\n}',
				'whsec_test_secret',
				1_614_265_330_000,
				{
					...plain,
					signedContent: 'timestamp-body',
				},
			),
		).toBe('t=1614265330,v1=af4ead0627a34a8cca29808e8de9ada8e41a92e6237c63cef6eacf51d36cca34');
	});
});
