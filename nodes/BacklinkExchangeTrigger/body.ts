import type { IWebhookFunctions } from 'n8n-workflow';

type WebhookRequest = ReturnType<IWebhookFunctions['getRequestObject']>;

/** The body as received; n8n leaves it unread for content types that it does not parse. */
export async function readRawBody(request: WebhookRequest): Promise<Buffer> {
	if (!Buffer.isBuffer(request.rawBody)) {
		try {
			await request.readRawBody();
		} catch {
			// Too large, or cut off: without the bytes no signature matches, and that is the answer.
		}
	}
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : Buffer.alloc(0);
}

/**
 * The body as text, without a byte order mark. JSON is UTF-8 (RFC 8259, section 8.1), and only the body is signed: the
 * charset of the content type counts for what cannot be UTF-8. A zero byte is no part of JSON in UTF-8, but of UTF-16.
 */
export function decodeBody(body: Buffer, contentType: string | undefined): string {
	const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
	return (
		(body.includes(0) ? undefined : decode(body, 'utf-8', true)) ??
		decode(body, charset, false) ??
		body.toString('utf8')
	);
}

/** Undefined for a charset that nobody knows, and for bytes that are not of it where that is asked for. */
function decode(body: Buffer, charset: string, fatal: boolean): string | undefined {
	try {
		return new TextDecoder(charset, { fatal }).decode(body);
	} catch {
		return undefined;
	}
}
