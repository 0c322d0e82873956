// Verifies the header X-PB-Signature, an HMAC-SHA256 (service-api.md, "Authentication" and
// "Events"). The signed content, the form of the key and the encoding are not documented, so every
// usual one is accepted, and anything else is rejected. This file doesn't depend on n8n.

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'crypto';

import { trimInvisible } from '../shared/utils/text';
import { parseTimestamp } from '../shared/utils/time';

/** Longer than a timestamp and ten signatures in hex. */
const maxHeaderLength = 1024;
const maxSignatures = 10;
/** Milliseconds from this machine's time, in either direction; Stripe and Svix use the same. */
const tolerance = 5 * 60_000;
const macLength = 32;

const malformedHeader = "the header X-PB-Signature doesn't contain a signature in a known form";

interface SignatureHeader {
	/** As written. */
	timestamp: string | undefined;
	signatures: Buffer[];
}

/** HMAC key; a string stands for its UTF-8 bytes. */
export type Key = string | KeyObject;

/**
 * Returns the keys that a secret may stand for.
 *
 * These are its UTF-8 bytes, the same without the whitespace that copy and paste adds and without
 * `v1,` in front of `whsec_`, and what follows `whsec_`, decoded from base64 or base64url. A secret
 * that is empty or blank has no keys, because anyone could sign with an empty key. Neither has a
 * value that isn't a string, which an expression can return.
 */
export function parseSecret(secret: unknown): Key[] {
	const text = typeof secret === 'string' ? secret : '';
	const trimmed = trimInvisible(text).replace(/^v1,(?=whsec_)/i, '');
	// A prefix without a secret counts as empty, because anyone could sign with it.
	if (/^(whsec_=*)?$/.test(trimmed)) return [];
	const keys: Key[] = text === trimmed ? [text] : [text, trimmed];
	const encoded = /^whsec_([A-Za-z0-9+/_-]+={0,2})$/.exec(trimmed)?.[1];
	if (encoded !== undefined) {
		const decoded = Buffer.from(encoded, 'base64');
		// Node.js is several times faster with a key object than with a buffer.
		if (decoded.length > 0) keys.push(createSecretKey(decoded));
	}
	return keys;
}

/**
 * Verifies the signature of a delivery in constant time.
 *
 * Never throws, and computes at most one HMAC of the body for each key, regardless of the header.
 *
 * @returns why the signature isn't valid, or `undefined` if it is. The text is safe to log: it
 * repeats nothing that was received, and nothing secret
 */
export function verifySignature(
	{ body, header }: { body: Buffer; header: string | undefined },
	keys: Key[],
	{ now = Date.now() } = {},
): string | undefined {
	if (keys.length === 0) return 'the credential has no webhook secret';
	const parsed = parseHeader(header);
	if (typeof parsed === 'string') return parsed;
	const { timestamp, signatures } = parsed;
	const prefix = timestamp === undefined ? '' : `${timestamp}.`;
	if (!matchesAnyKey(keys, signatures, prefix, body)) {
		return "the signature doesn't match. Check that the credential contains the secret of this webhook";
	}
	return timestamp === undefined || isWithinTolerance(timestamp, now)
		? undefined
		: "the timestamp is too far from the time of n8n's machine, or can't be read. Check the machine's clock";
}

/**
 * Checks whether a header can contain a valid signature of any secret.
 *
 * @returns why it can't, or `undefined` if it can
 */
export function checkHeader(header: string | undefined): string | undefined {
	const parsed = parseHeader(header);
	return typeof parsed === 'string' ? parsed : undefined;
}

/** Returns whether a key created one of the signatures, compared in constant time. */
function matchesAnyKey(keys: Key[], signatures: Buffer[], prefix: string, body: Buffer): boolean {
	return keys.some((key) => {
		const mac = createHmac('sha256', key).update(prefix).update(body).digest();
		return signatures.some((signature) => timingSafeEqual(signature, mac));
	});
}

/**
 * Parses `<signature>`, `<any name>=<signature>`, `v1,<signature>`, several of these in a row, and
 * `t=<timestamp>,v1=<signature>`, each with or without quotes.
 *
 * The name proves nothing, so it doesn't matter: only the HMAC decides. The timestamp stays as
 * written, because it's part of the signed content.
 *
 * @returns the reason if there is no signature, there are too many, or there are two timestamps
 */
function parseHeader(header: string | undefined): SignatureHeader | string {
	if (header === undefined || header.trim() === '') {
		return 'it has no signature (header X-PB-Signature), so it may not come from the service';
	}
	if (header.length > maxHeaderLength) return 'the header X-PB-Signature is too long';
	let timestamp: string | undefined;
	const signatures: Buffer[] = [];
	for (const part of header.replace(/["']/g, ' ').split(/[\s,;]/)) {
		if (part.startsWith('t=')) {
			if (timestamp !== undefined) return malformedHeader;
			timestamp = part.slice(2);
			continue;
		}
		// The "=" of a signature in base64 is at its end.
		const signature = decodeSignature(part) ?? decodeSignature(part.slice(part.indexOf('=') + 1));
		if (signature === undefined) continue;
		if (signatures.length === maxSignatures) return malformedHeader;
		signatures.push(signature);
	}
	return signatures.length === 0 ? malformedHeader : { timestamp, signatures };
}

/**
 * Decodes the 32 bytes of a signature.
 *
 * Only canonical text is accepted, so that no second spelling of a signature is valid.
 *
 * @returns `undefined` if the text is not a signature
 */
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

/** Removes the "=" at the end of 32 bytes in base64, which many senders leave out. */
function stripPadding(text: string): string {
	return text.replace(/=$/, '');
}

function isWithinTolerance(timestamp: string, now: number): boolean {
	// Comparing with NaN is false, so a timestamp that can't be parsed is outside the tolerance.
	return Math.abs(now - (parseTimestamp(timestamp, NaN) ?? NaN)) <= tolerance;
}
