/** X-PB-Signature in every dialect, against an HMAC that is computed apart and against the examples of other services. */
import { describe, expect, it } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
import { signatureHeader } from '../../sandbox/wire/signature.mts';
import { hmac, openReceiver, openSandbox, secret, variantTests } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12);

/** The signature header and body of one delivery. */
async function signed(dialect: Partial<Dialect>): Promise<{ header: string; body: string }> {
	const receiver = await openReceiver();
	const webhook = { url: receiver.url, secret };
	const sandbox = await openSandbox({ webhook, dialect, clock: () => now });
	sandbox.requestOffer();
	await sandbox.settled();
	return {
		header: String(receiver.received[0]?.headers['x-pb-signature']),
		body: receiver.received[0]?.body ?? '',
	};
}

const anyHex = '[0-9a-f]{64}';

describe('signatureEncoding', () => {
	const encoded =
		(signatureEncoding: Dialect['signatureEncoding'], encode: (hex: string) => string) =>
		async () => {
			const { header, body } = await signed({ signatureEncoding });
			expect(header).toBe(encode(hmac(body)));
		};
	variantTests<Dialect['signatureEncoding']>({
		hex: encoded('hex', (hex) => hex),
		'hex-upper': encoded('hex-upper', (hex) => hex.toUpperCase()),
		base64: encoded('base64', (hex) => Buffer.from(hex, 'hex').toString('base64')),
		base64url: encoded('base64url', (hex) => Buffer.from(hex, 'hex').toString('base64url')),
	});
});

describe('signatureHeader', () => {
	const written =
		(variant: Dialect['signatureHeader'], expected: (hex: string) => RegExp) => async () => {
			const { header, body } = await signed({ signatureHeader: variant });
			expect(header).toMatch(expected(hmac(body)));
		};
	variantTests<Dialect['signatureHeader']>({
		bare: written('bare', (hex) => new RegExp(`^${hex}$`)),
		'prefix-sha256': written('prefix-sha256', (hex) => new RegExp(`^sha256=${hex}$`)),
		'prefix-v1-equals': written('prefix-v1-equals', (hex) => new RegExp(`^v1=${hex}$`)),
		'prefix-v1-comma': written('prefix-v1-comma', (hex) => new RegExp(`^v1,${hex}$`)),
		'several-by-comma': written(
			'several-by-comma',
			(hex) => new RegExp(`^v1=(?!${hex})${anyHex},v1=${hex}$`),
		),
		'several-by-space': written(
			'several-by-space',
			(hex) => new RegExp(`^v1,(?!${hex})${anyHex} v1,${hex}$`),
		),
		timestamped: written('timestamped', (hex) => new RegExp(`^t=${now / 1000},v1=${hex}$`)),
	});
});

describe('signedContent', () => {
	variantTests<Dialect['signedContent']>({
		body: async () => {
			const { header, body } = await signed({ signedContent: 'body' });
			expect(header).toBe(hmac(body));
		},
		'timestamp-body': async () => {
			const { header, body } = await signed({ signedContent: 'timestamp-body' });
			expect(header).toBe(`t=${now / 1000},v1=${hmac(`${now / 1000}.${body}`)}`);
		},
	});
});

describe('hmacKey', () => {
	variantTests<Dialect['hmacKey']>({
		utf8: async () => {
			const { header, body } = await signed({ hmacKey: 'utf8' });
			expect(header).toBe(hmac(body, secret));
		},
		'whsec-base64': async () => {
			const { header, body } = await signed({ hmacKey: 'whsec-base64' });
			expect(header).toBe(hmac(body, Buffer.from(secret.slice('whsec_'.length), 'base64')));
		},
	});
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
