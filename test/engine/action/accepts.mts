/** What the tests of accepts share: a service that charges again, and one whose lists and answers are given by hand. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { freshActionNode, processedData } from '../engine.mts';
import { json, localService } from '../localServer.mts';
import type { TestService } from '../service.mts';

/** The worst that a service can do: charge a second accept as well. */
export const charging = { acceptAgain: '200-charged-again' } as const;

/** What a text must not say while nobody knows. */
export const deniesPayment =
	/nothing (was|has been|is) (sent|spent|changed)|not accepted|safe to run/i;

export const acceptEndpoint = 'POST /api/exchanges/:id/accept';

/** The requests of accepts, and those for the list, as a fault is told them. */
export const post = { method: 'POST', path: '/api/exchanges' } as const;
export const list = { method: 'GET', path: '/api/exchanges' } as const;

export const minute = 60_000;

/** As a published workflow runs it; an execution by hand shows everything, and changes nothing of what is told later. */
export const published = { mode: 'trigger' } as const;

/** In a process that has just started. */
export const restarted = () => ({ actionNode: freshActionNode() });

/** Begins an execution whose process ends when it asks n8n's record and `goesOn` says no: nothing of it goes on. */
export async function killedAtRecord(
	execute: () => Promise<unknown>,
	goesOn: () => boolean = () => false,
): Promise<void> {
	await new Promise<void>((killed) => {
		processedData.beforeEach = async () => {
			if (goesOn()) return;
			killed();
			await new Promise(() => undefined);
		};
		void execute().then(() => {
			killed();
		});
	});
	processedData.beforeEach = undefined;
}

/** The accepts that have reached the service. */
export const posts = ({ sandbox }: TestService) =>
	sandbox.books.requests({ endpoint: acceptEndpoint });

interface ByHand {
	list: (reads: number) => unknown;
	accept?: (id: string, response: ServerResponse, requests: number) => unknown;
	balance?: () => unknown;
	apiKey?: string;
}

/** What the list shows at each reading, and what an accept answers. */
export async function serviceByHand({ list, accept, balance, apiKey }: ByHand) {
	const posted: string[] = [];
	let reads = 0;
	const service = await localService(
		(request: IncomingMessage, response: ServerResponse) => {
			const url = request.url ?? '';
			const send = (body: unknown) => {
				if (!response.writableEnded) json(body)(request, response);
			};
			if (url.includes('/credits/')) send(balance?.() ?? { balance: 1000 });
			else if (request.method === 'POST') {
				const id = decodeURIComponent(url.split('/').at(-2) ?? '');
				posted.push(id);
				const body = accept ? accept(id, response, posted.length) : { id, status: 'accepted' };
				if (!response.headersSent) send(body);
			} else send(list(++reads));
		},
		apiKey === undefined ? {} : { apiKey },
	);
	return { ...service, posted };
}

/** An offer for such a list. */
export const pending = (fields: object = {}) => ({
	id: `exc_${Math.random()}`,
	from_site: 'https://tea.example',
	to_site: 'https://own.example',
	anchor: 'green tea',
	status: 'pending',
	...fields,
});
