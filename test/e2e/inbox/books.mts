/** The receiving end: what the workflows that the inbox hands on to have really done. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One time that a called workflow worked on an event. */
export interface Call {
	eventKey: string;
	/** The called workflow. */
	workflow: string;
	/** The row in the inbox's table, and which of its tries this is. */
	row: number;
	try: number;
}

export interface Books {
	url: string;
	/** What was done, in order. What was answered with an error is not in it. */
	calls: Call[];
	/** What was refused. */
	refused: Call[];
	/** Decides which calls are answered with an error; none at first. */
	refuses: (call: Call) => boolean;
	/** How long a call takes, in milliseconds. */
	milliseconds: number;
	/** How often each event was worked on, by its key. */
	counts: () => Map<string, number>;
	close: () => Promise<void>;
}

/** Starts it on a free port of this machine. */
export async function openBooks(): Promise<Books> {
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const call = JSON.parse(Buffer.concat(chunks).toString()) as Call;
			const isRefused = books.refuses(call);
			(isRefused ? books.refused : books.calls).push(call);
			void sleep(books.milliseconds).then(() => {
				response.writeHead(isRefused ? 503 : 200, { 'content-type': 'application/json' });
				response.end('{}');
			});
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const books: Books = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		calls: [],
		refused: [],
		refuses: () => false,
		milliseconds: 0,
		counts: () => {
			const counts = new Map<string, number>();
			for (const { eventKey } of books.calls) counts.set(eventKey, (counts.get(eventKey) ?? 0) + 1);
			return counts;
		},
		close: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
	return books;
}
