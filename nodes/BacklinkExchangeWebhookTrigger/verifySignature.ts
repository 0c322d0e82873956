import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'crypto';

import { trimInvisible } from '../shared/utils/text';
import { parseTimestamp } from '../shared/utils/time';

/**
 * Checks the header X-PB-Signature, an HMAC-SHA256 (service-api.md, "Authentication" and "Events"). The signed content,
 * the key's form and the encoding are not documented, so every usual one is understood; anything else is refused.
 * This file knows nothing of n8n.
 */

/** The most characters of a header, which is more than a timestamp and ten signatures in hex have. */
const maxHeaderLength = 1024;
const maxSignatures = 10;
/** Milliseconds that a timestamp in the header may be away from this machine's time: what Stripe and Svix take. */
const tolerance = 5 * 60_000;
const macLength = 32;
/** Names that may stand before a signature. */
const signatureSchemes = ['sha256=', 'v1='];

/** A key of the HMAC; a text stands for its UTF-8 bytes. */
export type Key = string | KeyObject;

/**
 * The keys that a secret may stand for: its UTF-8 bytes; without the blanks that come along when pasting; and what
 * follows `whsec_`, decoded from base64 or base64url. None for a secret that is empty or blank, because an empty key would
 * sign anything, and none for what is no text: an expression may yield anything.
 */
export function parseSecret(secret: unknown): Key[] {
	const text = typeof secret === 'string' ? secret : '';
	const trimmed = trimInvisible(text);
	// A prefix without a secret behind it is blank as well: anybody could sign with it.
	if (/^(whsec_=*)?$/.test(trimmed)) return [];
	const keys: Key[] = text === trimmed ? [text] : [text, trimmed];
	const encoded = /^whsec_([A-Za-z0-9+/_-]+={0,2})$/.exec(trimmed)?.[1];
	if (encoded !== undefined) {
		const decoded = Buffer.from(encoded, 'base64');
		// Node.js takes several times as long with a buffer as with a key object.
		if (decoded.length > 0) keys.push(createSecretKey(decoded));
	}
	return keys;
}

/**
 * Why a delivery does not count as signed with one of the keys; undefined where it does. The words are for the log: they repeat
 * nothing that was received, and nothing secret. Never throws, and takes no more than one HMAC of the body for each key,
 * whatever the header holds.
 */
export function verifySignature(
	{ body, header }: { body: Buffer; header: string | undefined },
	keys: Key[],
	{ now = Date.now() } = {},
): string | undefined {
	if (keys.length === 0) return 'the credential has no webhook secret';
	if (header === undefined || header.trim() === '') return 'the header X-PB-Signature is missing';
	if (header.length > maxHeaderLength) return 'the header X-PB-Signature is too long';
	const parsed = parseHeader(header);
	if (parsed === undefined) return 'the header X-PB-Signature holds no signature of a known form';
	const { timestamp, signatures } = parsed;
	const prefix = timestamp === undefined ? '' : `${timestamp}.`;
	if (!matchesAnyKey(keys, signatures, prefix, body)) {
		return 'the signature does not match; check that the credential holds the secret of this webhook';
	}
	return timestamp === undefined || isWithinTolerance(timestamp, now)
		? undefined
		: 'the timestamp is too far from the time of this machine, or cannot be read; check its clock';
}

/** Whether one of the keys made one of the signatures. */
function matchesAnyKey(keys: Key[], signatures: Buffer[], prefix: string, body: Buffer): boolean {
	return keys.some((key) => {
		const mac = createHmac('sha256', key).update(prefix).update(body).digest();
		return signatures.some((signature) => timingSafeEqual(signature, mac));
	});
}

/**
 * Reads `<signature>`, `sha256=<signature>`, `v1=<signature>`, `v1,<signature>`, several of these after one another,
 * and `t=<timestamp>,v1=<signature>`. Undefined when there is no signature, too many, or two timestamps. The timestamp is
 * given as written, because it is part of what was signed.
 */
function parseHeader(header: string) {
	let timestamp: string | undefined;
	const signatures: Buffer[] = [];
	for (const part of header.split(/[\s,;]/)) {
		if (part.startsWith('t=')) {
			if (timestamp !== undefined) return undefined;
			timestamp = part.slice(2);
			continue;
		}
		const scheme = signatureSchemes.find((candidate) => part.startsWith(candidate)) ?? '';
		const signature = decodeSignature(part.slice(scheme.length));
		if (signature === undefined) continue;
		if (signatures.length === maxSignatures) return undefined;
		signatures.push(signature);
	}
	return signatures.length === 0 ? undefined : { timestamp, signatures };
}

/** The 32 bytes of a signature. Only canonical text counts, so that no second spelling of a signature passes. */
function decodeSignature(text: string): Buffer | undefined {
	if (text.length === 2 * macLength) {
		const bytes = Buffer.from(text, 'hex');
		const isCanonical = !/[A-F]/.test(text) || !/[a-f]/.test(text);
		return bytes.length === macLength && isCanonical ? bytes : undefined;
	}
	for (const candidate of ['base64', 'base64url'] as const) {
		const bytes = Buffer.from(text, candidate);
		const isCanonical = stripPadding(bytes.toString(candidate)) === stripPadding(text);
		if (bytes.length === macLength && isCanonical) return bytes;
	}
	return undefined;
}

/** Base64 of 32 bytes has one "=" at its end, which many leave out. */
function stripPadding(text: string): string {
	return text.replace(/=$/, '');
}

function isWithinTolerance(timestamp: string, now: number): boolean {
	// A comparison with NaN is false, so a timestamp that names no moment is not timely.
	return Math.abs(now - (parseTimestamp(timestamp, NaN) ?? NaN)) <= tolerance;
}
