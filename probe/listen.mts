/** Receives deliveries, and prints in which form each was signed and wrapped. Nothing of the contents is kept or printed. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type Delivery, lookAtDelivery } from './deliveries.mts';
import type { Observation } from './report.mts';

/** Larger deliveries are refused. */
const largestBody = 5 * 1024 * 1024;

export interface Listener {
	port: number;
	/** What all deliveries so far have shown: of each question the latest observation, but that a body was repeated stays. */
	observations: () => Observation[];
	close: () => Promise<void>;
}

/**
 * Listens on all addresses of this machine, because the service has to reach it. Every delivery that is not too large is answered with 200.
 *
 * @param port 0 for any free one
 */
export async function listen(
	port: number,
	secret: string,
	onObserved: (observation: Observation) => void,
): Promise<Listener> {
	const observed = new Map<string, Observation>();
	const bodies = new Set<string>();
	const take = (delivery: Delivery) => {
		const observations = lookAtDelivery(delivery, secret);
		const hash = createHash('sha256').update(delivery.body).digest('base64');
		observations.push({
			question: 'delivery',
			seen: bodies.has(hash) ? 'the same body once more' : 'a new body',
			verdict: 'supported',
			...(bodies.has(hash) && { dialect: { delivery: 'repeated' as const } }),
		});
		bodies.add(hash);
		for (const observation of observations) {
			const earlier = observed.get(observation.question);
			const isRepetition = earlier?.dialect?.delivery === 'repeated';
			if (!isRepetition) observed.set(observation.question, observation);
			onObserved(observation);
		}
	};
	const server = createServer((incoming, outgoing) => {
		const chunks: Buffer[] = [];
		let size = 0;
		incoming.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size <= largestBody) chunks.push(chunk);
		});
		incoming.on('end', () => {
			if (incoming.method !== 'POST') {
				outgoing.writeHead(200).end();
				return;
			}
			if (size > largestBody) {
				outgoing.writeHead(413).end();
				return;
			}
			const headers = Object.fromEntries(
				Object.entries(incoming.headers).map(([name, value]) => [
					name,
					Array.isArray(value) ? value.join(',') : value,
				]),
			);
			take({ headers, body: Buffer.concat(chunks) });
			outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
		});
	});
	server.listen(port);
	await once(server, 'listening');
	return {
		port: (server.address() as AddressInfo).port,
		observations: () => [...observed.values()],
		close: async () => {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
