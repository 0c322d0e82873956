import { createHmac } from 'node:crypto';

import type { Dialect } from '../dialects.mts';
import { InvalidSetting } from '../errors.mts';

export type SignatureDialect = Pick<
	Dialect,
	'signatureEncoding' | 'signatureHeader' | 'signedContent' | 'hmacKey'
>;

/**
 * The value of X-PB-Signature: HMAC-SHA256 over the body (or `timestamp.body`), written the way the dialect says.
 *
 * @param now milliseconds since 1970, as the service's (perhaps skewed) clock shows it
 */
export function signatureHeader(
	body: string,
	secret: string,
	now: number,
	dialect: SignatureDialect,
): string {
	const timestamp = Math.floor(now / 1000);
	const withTimestamp = dialect.signedContent === 'timestamp-body';
	const content = withTimestamp ? `${timestamp}.${body}` : body;
	const sign = (key: Buffer) =>
		createHmac('sha256', key).update(content).digest(dialect.signatureEncoding);
	const signature = sign(hmacKey(secret, dialect));
	if (withTimestamp) return `t=${timestamp},v1=${signature}`;
	// While its secret is being changed, a service sends a signature of each.
	const retired = () => sign(Buffer.from(`retired ${secret}`));
	switch (dialect.signatureHeader) {
		case 'bare':
			return signature;
		case 'prefix-sha256':
			return `sha256=${signature}`;
		case 'prefix-v1-equals':
			return `v1=${signature}`;
		case 'prefix-v1-comma':
			return `v1,${signature}`;
		case 'several-by-comma':
			return `v1=${retired()},v1=${signature}`;
		case 'several-by-space':
			return `v1,${retired()} v1,${signature}`;
	}
}

/** @throws InvalidSetting when the dialect's kind of key cannot be made of this secret */
export function hmacKey(secret: string, dialect: Pick<Dialect, 'hmacKey'>): Buffer {
	if (dialect.hmacKey === 'utf8') return Buffer.from(secret, 'utf8');
	const encoded = /^whsec_([A-Za-z0-9+/_-]+={0,2})$/.exec(secret)?.[1];
	if (!encoded) {
		throw new InvalidSetting(
			'The dialect setting hmacKey=whsec-base64 needs a webhook secret of the form whsec_ followed by base64.',
		);
	}
	return Buffer.from(encoded, 'base64');
}
