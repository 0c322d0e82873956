import { createHmac, timingSafeEqual } from 'crypto';

/**
 * Checks the header X-PB-Signature, an HMAC-SHA256 (service-api.md, "Authentication" and "Events"). The signed content,
 * the key's form and the encoding are not documented, so every usual one is understood; anything else is refused.
 * This file knows nothing of n8n.
 */

export type SignatureEncoding = 'auto' | 'hex' | 'base64' | 'base64url';
export type SignedContent = 'auto' | 'body' | 'timestampBody';

export interface Delivery {
	/** The body exactly as received. */
	body: Buffer;
	/** Value of X-PB-Signature; undefined when there was none. */
	header: string | undefined;
}

export interface VerificationSettings {
	encoding?: SignatureEncoding;
	signedContent?: SignedContent;
	/** How many seconds a timestamp in the header may be away from now; 0 for any. */
	tolerance?: number;
	/** Milliseconds since the epoch. */
	now?: number;
}

/** Why a delivery is refused. */
export type Refusal =
	| 'noKey'
	| 'missingHeader'
	| 'headerTooLong'
	| 'malformedHeader'
	| 'missingTimestamp'
	| 'noMatch'
	| 'stale';

export type Verification = { valid: true; keyIndex: number } | { valid: false; refusal: Refusal };

/** Longer than any honest header: a timestamp and ten signatures in hex. */
const longestHeader = 1024;
const mostSignatures = 10;
const digestLength = 32;

/**
 * The keys that a secret may stand for: its UTF-8 bytes; without the blanks that come along when pasting; and what
 * follows `whsec_`, decoded from base64. None for a secret that is empty or blank: an empty key would sign anything.
 */
export function keysOf(secret: string): Buffer[] {
	const trimmed = secret.trim();
	if (trimmed === '') return [];
	const texts = secret === trimmed ? [secret] : [secret, trimmed];
	const keys = texts.map((text) => Buffer.from(text, 'utf8'));
	const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(trimmed)?.[1];
	if (encoded !== undefined) {
		const decoded = Buffer.from(encoded, 'base64');
		if (decoded.length > 0) keys.push(decoded);
	}
	return keys;
}

/** Whether the delivery was signed with one of the keys, and if not, why. Never throws. */
export function verifySignature(
	delivery: Delivery,
	keys: Buffer[],
	settings: VerificationSettings = {},
): Verification {
	const { encoding = 'auto', signedContent = 'auto', tolerance = 300 } = settings;
	if (keys.length === 0) return refused('noKey');
	const { body, header } = delivery;
	if (header === undefined || header.trim() === '') return refused('missingHeader');
	if (header.length > longestHeader) return refused('headerTooLong');
	const parsed = parseHeader(header, encoding);
	if (parsed === undefined) return refused('malformedHeader');
	const { timestamp, signatures } = parsed;
	if (signedContent === 'timestampBody' && timestamp === undefined) {
		return refused('missingTimestamp');
	}

	const prefixes: string[] = [];
	if (timestamp !== undefined && signedContent !== 'body') prefixes.push(`${timestamp}.`);
	if (timestamp === undefined || signedContent !== 'timestampBody') prefixes.push('');
	for (const prefix of prefixes) {
		for (const [keyIndex, key] of keys.entries()) {
			const hmac = createHmac('sha256', key);
			if (prefix !== '') hmac.update(prefix);
			const digest = hmac.update(body).digest();
			if (!signatures.some((signature) => timingSafeEqual(signature, digest))) continue;
			if (timestamp !== undefined && isStale(timestamp, tolerance, settings.now ?? Date.now())) {
				return refused('stale');
			}
			return { valid: true, keyIndex };
		}
	}
	return refused('noMatch');
}

interface ParsedHeader {
	/** As written: it is part of what was signed. */
	timestamp: string | undefined;
	signatures: Buffer[];
}

/**
 * Reads `<signature>`, `sha256=<signature>`, `v1=<signature>`, `v1,<signature>`, several of these after one another,
 * and `t=<timestamp>,v1=<signature>`. Undefined when there is no signature, too many, or two timestamps.
 */
function parseHeader(header: string, encoding: SignatureEncoding): ParsedHeader | undefined {
	let timestamp: string | undefined;
	const signatures: Buffer[] = [];
	for (const part of header.split(/[\s,;]+/)) {
		const named = /^([A-Za-z][A-Za-z0-9]*)=(.*)$/.exec(part);
		const name = named?.[1]?.toLowerCase();
		if (name === 't' && /^\d{1,13}$/.test(named?.[2] ?? '')) {
			if (timestamp !== undefined) return undefined;
			timestamp = named?.[2];
			continue;
		}
		const isNamed = name === 'sha256' || name === 'v1';
		const signature = decode(isNamed ? (named?.[2] ?? '') : part, encoding);
		if (signature === undefined) continue;
		if (signatures.length === mostSignatures) return undefined;
		signatures.push(signature);
	}
	return signatures.length === 0 ? undefined : { timestamp, signatures };
}

/** The 32 bytes of a signature. Only canonical text counts, so that no second spelling of a signature passes. */
function decode(text: string, encoding: SignatureEncoding): Buffer | undefined {
	const accepts = (candidate: SignatureEncoding) => encoding === 'auto' || encoding === candidate;
	if (accepts('hex') && /^([0-9a-f]{64}|[0-9A-F]{64})$/.test(text)) return Buffer.from(text, 'hex');
	for (const candidate of ['base64', 'base64url'] as const) {
		if (!accepts(candidate) || !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) continue;
		const bytes = Buffer.from(text, candidate);
		const unpadded = text.replace('=', '');
		const isCanonical = bytes.toString(candidate).replace('=', '') === unpadded;
		if (bytes.length === digestLength && isCanonical) return bytes;
	}
	return undefined;
}

/** Timestamps of up to eleven digits are seconds, longer ones milliseconds. */
function isStale(timestamp: string, tolerance: number, now: number): boolean {
	if (tolerance <= 0) return false;
	const seconds = timestamp.length > 11 ? Number(timestamp) / 1000 : Number(timestamp);
	return Math.abs(now / 1000 - seconds) > tolerance;
}

function refused(refusal: Refusal): Verification {
	return { valid: false, refusal };
}
