/** Setup for tests that deliver to a trigger. */
import { createHmac } from 'node:crypto';

import type { INodeParameters } from 'n8n-workflow';

import { WebhookServer } from './webhookServer.mts';

export const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export async function setUp(
	parameters: INodeParameters = {},
	credential: object = {},
): Promise<WebhookServer> {
	const plain = { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'key', webhookSecret: secret };
	return await WebhookServer.start({ ...plain, ...credential }, parameters);
}

export function sign(body: string | Buffer, key = secret): string {
	return createHmac('sha256', key).update(body).digest('hex');
}

export async function deliver(
	{ url }: Pick<WebhookServer, 'url'>,
	body: string | Buffer,
	headers: Record<string, string> = {},
): Promise<{ status: number; message: string }> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'x-pb-signature': sign(body), ...headers },
		body: new Uint8Array(Buffer.from(body)),
	});
	return {
		status: response.status,
		message: ((await response.json()) as { message: string }).message,
	};
}

/** Returns the number of started executions, none of which may have failed. */
export function runs(server: WebhookServer): number {
	if (server.failures.length > 0) throw server.failures[0] as Error;
	return server.executions.length;
}
