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

/** The body as text, in the charset of its content type, without a byte order mark. JSON is UTF-8 (RFC 8259, section 8.1). */
export function decodeBody(body: Buffer, contentType: string | undefined): string {
	const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1];
	try {
		return new TextDecoder(charset ?? 'utf-8').decode(body);
	} catch {
		return body.toString('utf8');
	}
}
