/** A real sandbox and a real receiver for each test, closed when the test ends. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';

import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';

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

/** A POST to the sandbox's control. */
export async function control(
	sandbox: Pick<Sandbox, 'origin'>,
	path: string,
	json: unknown = {},
	headers: Record<string, string> = {},
): Promise<Answer> {
	return await askUrl('POST', `${sandbox.origin}/control${path}`, { json, headers });
}

/** The `error` object of a documented error body, or a failure of the test. */
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
	/** What to answer, first in rank first; afterwards 200. A function can take its time, undefined cuts the connection. */
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

/** A sandbox whose deliveries a receiver gets. */
export async function openSandboxWithReceiver(
	options: SandboxOptions = {},
): Promise<{ sandbox: Sandbox; receiver: Receiver }> {
	const receiver = await openReceiver();
	const sandbox = await openSandbox({ webhook: { url: receiver.url, secret }, ...options });
	return { sandbox, receiver };
}

/** Waits, turn of the event loop by turn, until it is so. */
export async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await setImmediate();
}

/** A text of this form, whatever it is. */
export const matching = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;

/** Hex HMAC-SHA256, computed apart from the sandbox's own code. */
export function hmac(content: string, key: string | Buffer = secret): string {
	return createHmac('sha256', key).update(content).digest('hex');
}

/** A test for each variant of a setting, with what is expected of it; TypeScript refuses a table that leaves one out. */
export function describeSetting<
	Setting extends DialectSetting,
	Table extends Record<Dialect[Setting], unknown>,
>(
	setting: Setting,
	expected: Table,
	check: (dialect: Partial<Dialect>, expected: Table[Dialect[Setting]]) => Promise<void>,
): void {
	describe(setting, () => {
		it.each(getVariants(setting))('%s', (variant) =>
			check({ [setting]: variant }, expected[variant]),
		);
	});
}

/** For a check that needs no more than the name of the variant. */
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
