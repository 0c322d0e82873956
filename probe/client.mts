/** Requests of the probe: few, one after another, within the service's quota, and only to the base URL. */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';

import { body, rateLimit } from './product.mts';
import { ProbeStopped } from './stopped.mts';

export interface Answer {
	status: number;
	/** The headers, by their names in lower case; several of one name are joined by ", ". */
	headers: Record<string, string>;
	text: string;
	/** Parsed body; undefined when it is empty or no JSON. */
	json: unknown;
	/** Milliseconds of this machine's clock. */
	sentAt: number;
	receivedAt: number;
	/** The version of TLS, for example TLSv1.3; undefined for plain http. */
	tls: string | undefined;
}

export interface Question {
	/** The address below the base URL, with its query; for example /exchanges?status=pending. */
	path: string;
	method?: 'GET' | 'POST';
	/** A key to send in the place of the account's. */
	key?: string;
}

/** If the probe needs more requests than this, it goes round in circles. */
const mostRequests = 60;
const timeoutMilliseconds = 20_000;
const largestBody = 20 * 1024 * 1024;
/** The longest wait for the limit. */
const longestWait = 90_000;

export class Client {
	/** Every answer so far, in order. */
	readonly answers: Answer[] = [];

	readonly #baseUrl: string;
	readonly #key: string;
	readonly #onWait: (milliseconds: number) => void;

	/** @param baseUrl without a slash at its end */
	constructor(baseUrl: string, key: string, onWait: (milliseconds: number) => void) {
		this.#baseUrl = baseUrl;
		this.#key = key;
		this.#onWait = onWait;
	}

	get isEncrypted(): boolean {
		return this.#baseUrl.startsWith('https:');
	}

	/** The address of a path, for what is relative to it. */
	addressOf(path: string): string {
		return `${this.#baseUrl}${path}`;
	}

	/**
	 * Asks once; a reached limit is waited out once.
	 *
	 * @throws ProbeStopped when the service cannot be reached, or asks for a longer wait than the probe takes
	 */
	async ask(question: Question): Promise<Answer> {
		const answer = await this.#send(question);
		if (answer.status !== 429) return answer;
		const { milliseconds: wait } = rateLimit.waitAfterLimit(answer.headers, Date.now(), 1);
		if (wait > longestWait) {
			throw new ProbeStopped(
				`The request limit is reached, and the service asks for a wait of ${Math.round(wait / 1000)} seconds. Run the probe again after that.`,
			);
		}
		this.#onWait(wait);
		await sleep(wait);
		return await this.#send(question);
	}

	async #send({ path, method = 'GET', key = this.#key }: Question): Promise<Answer> {
		if (this.answers.length >= mostRequests) {
			throw new ProbeStopped(`The probe stops after ${mostRequests} requests.`);
		}
		const sentAt = Date.now();
		const url = this.addressOf(path);
		const { request } = url.startsWith('https:') ? https : http;
		const answer = await new Promise<Answer>((resolve, reject) => {
			const outgoing = request(url, {
				method,
				headers: { accept: 'application/json', authorization: `Bearer ${key}` },
				signal: AbortSignal.timeout(timeoutMilliseconds),
			});
			outgoing.on('error', reject);
			outgoing.on('response', (incoming) => {
				const tls = protocolOf(incoming.socket);
				const chunks: Buffer[] = [];
				let size = 0;
				incoming.on('error', reject);
				incoming.on('data', (chunk: Buffer) => {
					size += chunk.length;
					if (size > largestBody) outgoing.destroy(new Error('the answer is larger than 20 MB'));
					else chunks.push(chunk);
				});
				incoming.on('end', () => {
					const text = Buffer.concat(chunks).toString('utf8');
					resolve({
						status: incoming.statusCode ?? 0,
						headers: plainHeaders(incoming.headers),
						text,
						json: body.parseJson(text),
						sentAt,
						receivedAt: Date.now(),
						tls,
					});
				});
			});
			outgoing.end();
		}).catch((error: unknown) => {
			throw new ProbeStopped(explainNetwork(error), method === 'POST');
		});
		this.answers.push(answer);
		return answer;
	}
}

function protocolOf(socket: Socket): string | undefined {
	return socket instanceof TLSSocket ? (socket.getProtocol() ?? undefined) : undefined;
}

function plainHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [
			name,
			Array.isArray(value) ? value.join(', ') : (value ?? ''),
		]),
	);
}

const networkWords: Record<string, string> = {
	ECONNREFUSED: 'nothing listens at this address and port',
	ENOTFOUND: 'the host name is not known',
	EAI_AGAIN: 'the host name could not be looked up just now',
	CERT_HAS_EXPIRED: 'its TLS certificate has expired',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its TLS certificate is self-signed',
	SELF_SIGNED_CERT_IN_CHAIN: 'its TLS certificate is self-signed',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its TLS certificate cannot be verified',
	ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host',
	ECONNRESET: 'the connection was cut',
	EPROTO: 'it does not speak TLS there; perhaps the address begins with http://',
};

function explainNetwork(error: unknown): string {
	const code =
		typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
	const isTimeout = error instanceof Error && /abort|timeout/i.test(error.name);
	const words = isTimeout
		? `no answer within ${timeoutMilliseconds / 1000} seconds`
		: (networkWords[code] ?? (code === '' ? String(error) : code));
	return `The service could not be asked: ${words}.`;
}
