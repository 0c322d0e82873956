/**
 * In which form a delivery was signed and wrapped, found by trying every form with the given secret. Nothing of the contents is kept.
 */
import { createHmac } from 'node:crypto';

import type { Dialect } from '../sandbox/dialects.mts';
import { isObject } from './bodies.mts';
import { body as bodies, payload, signature } from './product.mts';
import { type Observation, safeNames } from './report.mts';

export interface Delivery {
	headers: Record<string, string | undefined>;
	body: Buffer;
}

/** What one delivery shows: its signature and its wrapper. */
export function lookAtDelivery({ headers, body }: Delivery, secret: string): Observation[] {
	const header = headers['x-pb-signature'];
	const verification = signature.verifySignature({ body, header }, signature.keysOf(secret));
	const form = signatureForm(header, body, secret);
	const signed: Observation = {
		question: 'signature',
		seen:
			form?.words ??
			(header === undefined
				? 'no header X-PB-Signature'
				: 'no known form matches; is it the right secret?'),
		verdict:
			verification === 'valid' ? 'supported' : form === undefined ? 'not supported' : 'tolerated',
		...(form && { dialect: form.dialect }),
	};
	if (form === undefined) return [signed];
	if (verification !== 'valid') signed.seen += `, but it would be refused (${verification})`;
	return [signed, wrapperOf({ headers, body })];
}

type SignatureSettings = Pick<
	Dialect,
	'signatureEncoding' | 'signatureHeader' | 'signedContent' | 'hmacKey'
>;

function signatureForm(
	header: string | undefined,
	body: Buffer,
	secret: string,
): { words: string; dialect: SignatureSettings } | undefined {
	if (header === undefined || header.length > 2000) return undefined;
	const timestamp = /(?:^|[,;\s])t=(\d{1,13})(?:[,;\s]|$)/.exec(header)?.[1];
	for (const [hmacKey, key] of keysOf(secret)) {
		for (const signedContent of ['body', 'timestamp-body'] as const) {
			if (signedContent === 'timestamp-body' && timestamp === undefined) continue;
			const hmac = createHmac('sha256', key);
			if (signedContent === 'timestamp-body') hmac.update(`${timestamp ?? ''}.`);
			const digest = hmac.update(body).digest();
			const encoding = encodingIn(header, digest);
			if (encoding === undefined) continue;
			const signatureHeader = headerForm(header, timestamp);
			const [words, signatureEncoding] = encoding;
			return {
				words: `${words}, ${signatureHeader}, over ${signedContent === 'body' ? 'the body' : 'timestamp and body'}, key ${hmacKey}`,
				dialect: { signatureEncoding, signatureHeader, signedContent, hmacKey },
			};
		}
	}
	return undefined;
}

function keysOf(secret: string): [Dialect['hmacKey'], Buffer][] {
	const encoded = /^whsec_([A-Za-z0-9+/_-]+={0,2})$/.exec(secret.trim())?.[1];
	const keys: [Dialect['hmacKey'], Buffer][] = [['utf8', Buffer.from(secret.trim(), 'utf8')]];
	if (encoded !== undefined) keys.push(['whsec-base64', Buffer.from(encoded, 'base64')]);
	return keys;
}

function encodingIn(
	header: string,
	digest: Buffer,
): [words: string, setting: Dialect['signatureEncoding']] | undefined {
	const hex = digest.toString('hex');
	const base64 = digest.toString('base64');
	const base64url = digest.toString('base64url');
	if (header.includes(hex)) return ['hex', 'hex'];
	if (header.includes(hex.toUpperCase())) return ['hex in upper case', 'hex-upper'];
	// The "=" at its end distinguishes base64 from base64url where the letters are the same.
	if (header.includes(base64)) return ['base64', 'base64'];
	if (header.includes(base64url)) return ['base64url', 'base64url'];
	return undefined;
}

function headerForm(header: string, timestamp: string | undefined): Dialect['signatureHeader'] {
	if (timestamp !== undefined) return 'timestamped';
	const several = header.split(/[\s,;]+(?=v\d|sha)/).length > 1;
	if (several) return /\s/.test(header) ? 'several-by-space' : 'several-by-comma';
	if (header.startsWith('sha256=')) return 'prefix-sha256';
	if (header.startsWith('v1=')) return 'prefix-v1-equals';
	return header.startsWith('v1,') ? 'prefix-v1-comma' : 'bare';
}

function wrapperOf({ headers, body }: Delivery): Observation {
	const question = 'wrapper of the payload';
	const json = bodies.parseJson(body.toString('utf8'));
	const events = payload.readEvents(json, headers['x-pb-event']);
	const wrapper = wrapperForm(json, headers['x-pb-event'] !== undefined);
	if (events === undefined || events.some(({ event }) => event === 'unknown')) {
		const names = isObject(json) ? safeNames(Object.keys(json)) : 'no object';
		return { question, seen: `not understood: ${names}`, verdict: 'not supported' };
	}
	return {
		question,
		seen: wrapper ?? 'another form that the package reads',
		verdict: 'supported',
		...(wrapper && { dialect: { wrapper } }),
	};
}

function wrapperForm(json: unknown, named: boolean): Dialect['wrapper'] | undefined {
	if (Array.isArray(json)) {
		const inner = wrapperForm(json[0], named);
		if (inner === 'bare') return 'array-bare';
		if (inner === 'event-data') return 'array-event-data';
		return inner === 'flat' ? 'array-flat' : undefined;
	}
	if (!isObject(json)) return undefined;
	if (typeof json.event === 'string') {
		if (isObject(json.data)) return 'event-data';
		return isObject(json.payload) ? 'event-payload' : 'flat';
	}
	if (typeof json.type === 'string' && isObject(json.data)) return 'type-data';
	if (typeof json.type === 'string' && isObject(json.payload)) return 'type-payload';
	return named ? 'header' : 'bare';
}
