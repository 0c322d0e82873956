/** X-PB-Signature in every dialect, against an HMAC that is computed apart. */
import { expect } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
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
