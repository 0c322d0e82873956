/** A real sandbox and a real receiver for each test, closed when the test ends. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

import { request } from 'undici';
import { it, onTestFinished } from 'vitest';

import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.mts';

export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const sandbox = await startSandbox({
		limits: { perMinute: 100_000, perDay: 1_000_000 },
		...options,
	});
	onTestFinished(() => sandbox.close());
	return sandbox;
}

export interface Answer {
	status: number;
	headers: IncomingHttpHeaders;
	text: string;
	/** The parsed body; undefined when it is no JSON. */
	json: unknown;
}

export interface CallOptions {
	/** The Authorization header; null: none. Default: the sandbox's key. */
	authorization?: string | null;
	headers?: Record<string, string>;
	/** Sent as JSON. */
	json?: unknown;
	/** Sent as it is. */
	text?: string;
}

/** A request of the API; `call` is such as `GET /sites` or `POST /exchanges/x/accept`, below the base URL. */
export async function ask(
	sandbox: Sandbox,
	call: string,
	options: CallOptions = {},
): Promise<Answer> {
	const [method = 'GET', path = '/'] = call.split(' ');
	const authorization =
		options.authorization === undefined ? `Bearer ${sandbox.apiKey}` : options.authorization;
	return askUrl(method, `${sandbox.baseUrl}${path}`, {
		...options,
		headers: { ...(authorization === null ? {} : { authorization }), ...options.headers },
	});
}

export async function askUrl(
	method: string,
	url: string,
	options: CallOptions = {},
): Promise<Answer> {
	const body = options.json === undefined ? options.text : JSON.stringify(options.json);
	const answer = await request(url, {
		method,
		headers: {
			...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
			...options.headers,
		},
		body,
	});
	const text = await answer.body.text();
	return { status: answer.statusCode, headers: answer.headers, text, json: parsed(text) };
}

/** A POST to the sandbox's control. */
export async function control(
	sandbox: Sandbox,
	path: string,
	json: unknown = {},
	headers: Record<string, string> = {},
): Promise<Answer> {
	return await askUrl('POST', `${sandbox.origin}/control${path}`, { json, headers });
}

/** The `error` object of a documented error body, or a failure of the test. */
export function errorOf(answer: Answer): { code: string; message: string } {
	const body = answer.json as { error?: { code?: unknown; message?: unknown } } | undefined;
	const { code, message } = body?.error ?? {};
	if (
		typeof code !== 'string' ||
		typeof message !== 'string' ||
		Object.keys(body ?? {}).join() !== 'error'
	) {
		throw new Error(`This is not the documented error body: ${answer.status} ${answer.text}`);
	}
	return { code, message };
}

export interface Received {
	headers: IncomingHttpHeaders;
	body: string;
	json: unknown;
}

export interface Receiver {
	url: string;
	received: Received[];
	/** What to answer, first in rank first; afterwards 200. A function can take its time, undefined cuts the connection. */
	answers: (number | undefined | (() => Promise<number>))[];
	/** The body of an answer. */
	says: (status: number) => string;
}

export const secret = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cw==';

export async function openReceiver(): Promise<Receiver> {
	const receiver: Receiver = {
		url: '',
		received: [],
		answers: [],
		says: (status) => `answer ${status}`,
	};
	const server = createServer((incoming, outgoing) => {
		void (async () => {
			const chunks: Buffer[] = [];
			for await (const chunk of incoming) chunks.push(chunk as Buffer);
			const body = Buffer.concat(chunks).toString('utf8');
			receiver.received.push({ headers: incoming.headers, body, json: parsed(body) });
			const next = receiver.answers.length > 0 ? receiver.answers.shift() : 200;
			const status = typeof next === 'function' ? await next() : next;
			if (status === undefined) incoming.socket.destroy();
			else outgoing.writeHead(status, { location: '/elsewhere' }).end(receiver.says(status));
		})();
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
	return receiver;
}

/** Hex HMAC-SHA256, computed apart from the sandbox's own code. */
export function hmac(content: string, key: string | Buffer = secret): string {
	return createHmac('sha256', key).update(content).digest('hex');
}

/** One test for each variant; with the setting as the type, TypeScript refuses a list that leaves one out. */
export function variantTests<Variant extends string>(
	checks: Record<Variant, () => Promise<void>>,
): void {
	for (const [variant, check] of Object.entries<() => Promise<void>>(checks)) it(variant, check);
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
