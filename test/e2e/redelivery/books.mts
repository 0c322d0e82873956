/** The receiving end: what the workflows have really done with the events that started them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** One execution that worked on an event. */
export interface Call {
	eventKey: string;
	attempt: number;
	workflow: string;
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
	/** How often a workflow has worked on each event whose key contains a text, by its key. */
	counts: (part: string, workflow?: string) => Map<string, number>;
	close: () => Promise<void>;
}

/** Starts it on a free port of this machine. */
export async function openBooks(): Promise<Books> {
	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const call = (await json(request)) as Call;
		const isRefused = books.refuses(call);
		(isRefused ? books.refused : books.calls).push(call);
		await sleep(books.milliseconds);
		response.writeHead(isRefused ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
	};
	const server = createServer((request, response) => void answer(request, response));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const books: Books = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
		calls: [],
		refused: [],
		refuses: () => false,
		milliseconds: 0,
		counts: (part, workflow = 'events') => {
			const counts = new Map<string, number>();
			for (const call of books.calls) {
				if (call.workflow !== workflow || !call.eventKey.includes(part)) continue;
				counts.set(call.eventKey, (counts.get(call.eventKey) ?? 0) + 1);
			}
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
