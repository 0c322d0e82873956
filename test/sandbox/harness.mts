/** Starts a real sandbox and a real receiver for each test, and closes them when the test ends. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';

import { request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';

import { type Dialect, type DialectSetting, dialectSettings } from '../../sandbox/dialects.mts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.mts';
import { listen } from '../fixtures.mts';

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
	/** The parsed body, or `undefined` if it is no JSON. */
	json: unknown;
}

export interface CallOptions {
	/** The Authorization header; `null` for none. By default, the sandbox's key. */
	authorization?: string | null;
	headers?: Record<string, string>;
	/** Sent as JSON. */
	json?: unknown;
	/** Sent unchanged. */
	text?: string;
}

/**
 * Sends a request to the API.
 *
 * @param call method and path below the base URL, such as `GET /sites` or `POST
 * /exchanges/x/accept`
 */
export async function callApi(
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
	const received = await answer.body.text();
	const json = parsed(received);
	return { status: answer.statusCode, headers: answer.headers, text: received, json };
}

/** Sends a POST request to the sandbox's control. */
export async function control(
	sandbox: Pick<Sandbox, 'origin'>,
	path: string,
	json: unknown = {},
	headers: Record<string, string> = {},
): Promise<Answer> {
	return await askUrl('POST', `${sandbox.origin}/control${path}`, { json, headers });
}

/** Returns the `error` object of a documented error body; fails the test if there is none. */
export function getError(answer: Answer): { code: string; message: string } {
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
	/**
	 * Responses to deliveries, in order; afterwards 200. A function can delay its response,
	 * `undefined` closes the connection.
	 */
	answers: (number | undefined | (() => Promise<number>))[];
}

export const secret = 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cw==';

export async function openReceiver(): Promise<Receiver> {
	const receiver: Receiver = { url: '', received: [], answers: [] };
	const server = createServer((incoming, outgoing) => {
		void (async () => {
			const body = await text(incoming);
			receiver.received.push({ headers: incoming.headers, body, json: parsed(body) });
			const next = receiver.answers.length > 0 ? receiver.answers.shift() : 200;
			const status = typeof next === 'function' ? await next() : next;
			if (status === undefined) incoming.socket.destroy();
			else outgoing.writeHead(status, { location: '/elsewhere' }).end(`answer ${status}`);
		})();
	});
	receiver.url = `http://127.0.0.1:${await listen(server)}/hook`;
	return receiver;
}

/** Starts a sandbox, and a receiver of its deliveries. */
export async function openSandboxWithReceiver(
	options: SandboxOptions = {},
): Promise<{ sandbox: Sandbox; receiver: Receiver }> {
	const receiver = await openReceiver();
	const sandbox = await openSandbox({ webhook: { url: receiver.url, secret }, ...options });
	return { sandbox, receiver };
}

/** Waits until a condition is true, checked in each turn of the event loop. */
export async function waitUntil(condition: () => boolean): Promise<void> {
	while (!condition()) await setImmediate();
}

/** Matches any string of this form. */
export const matching = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;

/** Computes a hex HMAC-SHA256, independently of the sandbox's code. */
export function hmac(content: string, key: string | Buffer = secret): string {
	return createHmac('sha256', key).update(content).digest('hex');
}

/** Defines a test for each variant of a setting. TypeScript rejects a table that lacks one. */
export function describeSetting<
	Setting extends DialectSetting,
	Table extends Record<Dialect[Setting], unknown>,
>(
	setting: Setting,
	expected: Table,
	check: (dialect: Partial<Dialect>, expected: Table[Dialect[Setting]]) => Promise<void>,
): void {
	describe(setting, () => {
		test.each(getVariants(setting))('%s', (variant) =>
			check({ [setting]: variant }, expected[variant]),
		);
	});
}

/** Returns the variants of a setting, for checks that need only their names. */
export function getVariantNames<Setting extends DialectSetting>(
	setting: Setting,
): Record<Dialect[Setting], string> {
	return Object.fromEntries(getVariants(setting).map((name) => [name, name])) as never;
}

function getVariants<Setting extends DialectSetting>(setting: Setting): Dialect[Setting][] {
	return dialectSettings[setting].variants as readonly unknown[] as Dialect[Setting][];
}

function parsed(content: string): unknown {
	try {
		return JSON.parse(content);
	} catch {
		return undefined;
	}
}
