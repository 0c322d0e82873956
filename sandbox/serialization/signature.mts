import { createHmac } from 'node:crypto';

import type { Dialect } from '../dialects.mts';
import { InvalidSettingError } from '../errors.mts';

/**
 * Builds the value of X-PB-Signature: HMAC-SHA256 of the body (or `timestamp.body`), encoded as the
 * dialect requires.
 *
 * @param now time of the service's clock, which may be skewed, in milliseconds since 1970
 */
export function signatureHeader(
	body: string,
	secret: string,
	now: number,
	dialect: Dialect,
): string {
	const timestamp = Math.floor(now / 1000);
	const withTimestamp = dialect.signedContent === 'timestamp-body';
	const content = withTimestamp ? `${timestamp}.${body}` : body;
	const sign = (key: Buffer) =>
		createHmac('sha256', key).update(content).digest(dialect.signatureEncoding);
	const signature = sign(hmacKey(secret, dialect));
	if (withTimestamp) return `t=${timestamp},v1=${signature}`;
	// During a change of the secret, a service sends a signature with each.
	const retired = sign(Buffer.from(`retired ${secret}`));
	const forms: Record<Dialect['signatureHeader'], string> = {
		bare: signature,
		'prefix-sha256': `sha256=${signature}`,
		'prefix-v1-equals': `v1=${signature}`,
		'prefix-v1-comma': `v1,${signature}`,
		'several-by-comma': `v1=${retired},v1=${signature}`,
		'several-by-space': `v1,${retired} v1,${signature}`,
		'prefix-other': `HMAC-SHA256=${signature}`,
		quoted: `"signature=${signature}"`,
	};
	return forms[dialect.signatureHeader];
}

/**
 * Returns the HMAC key that a secret stands for.
 *
 * @throws {InvalidSettingError} if the secret doesn't have the form that the dialect requires
 */
export function hmacKey(secret: string, dialect: Dialect): Buffer {
	if (dialect.hmacKey === 'utf8') return Buffer.from(secret, 'utf8');
	const encoded = /^whsec_([A-Za-z0-9+/_-]+={0,2})$/.exec(secret)?.[1];
	if (!encoded) {
		throw new InvalidSettingError(
			'With hmacKey=whsec-base64, the webhook secret must be whsec_ followed by base64.',
		);
	}
	return Buffer.from(encoded, 'base64');
}
