/** Setup for the tests of the polling trigger. */
import type { IncomingMessage } from 'node:http';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { SandboxOptions } from '../../../sandbox/sandbox.mts';
import { n8nWorkflow } from '../n8n.mts';
import { startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { Poller } from './poller.mts';

export const onlyOffers = { events: ['exchange.requested'] };
export const minute = 60_000;

/** Starts a sandbox that ends with the test, and creates a poller for it. */
export async function setUp(options: SandboxOptions = {}, parameters: INodeParameters = {}) {
	const { sandbox } = await startTestService({ credits: 10_000, ...options });
	const { baseUrl, apiKey } = sandbox;
	return { sandbox, poller: new Poller({ baseUrl, apiKey }, parameters) };
}

/** Starts a sandbox and a poller, and runs the first poll, which records the current state. */
export async function setUpAndPoll(options: SandboxOptions = {}, parameters: INodeParameters = {}) {
	const { sandbox, poller } = await setUp(options, parameters);
	await poller.start();
	return { sandbox, poller };
}

/**
 * Creates a poller for a service without sites that responds to any other request with the result
 * of `answer` as JSON.
 */
export async function setUpWithResponse(
	answer: (request: IncomingMessage) => unknown,
	parameters: INodeParameters = {},
) {
	const { baseUrl, apiKey } = await startStubServer((request, response) => {
		const isSites = request.url?.endsWith('/sites') === true;
		json(isSites ? { sites: [] } : answer(request))(request, response);
	});
	return new Poller({ baseUrl, apiKey }, parameters);
}

/** The account of `setUpWithAccount`. A test changes it between polls. */
export interface Account {
	sites: IDataObject[];
	exchanges: IDataObject[];
	alerts?: IDataObject[];
	/** Whether `GET /sites` fails. */
	failsToListSites?: boolean;
	/** When `GET /sites` was received, in epoch milliseconds. */
	sitesRequestedAt: number[];
}

/**
 * Creates a poller for an account whose records a test writes by hand. The ID `raw:123` is sent as
 * the number 123, because JavaScript can't represent all numbers that JSON can.
 */
export async function setUpWithAccount(
	{ sites, exchanges }: Pick<Account, 'sites' | 'exchanges'>,
	parameters: INodeParameters = {},
) {
	const account: Account = { sites, exchanges, sitesRequestedAt: [] };
	const { baseUrl, apiKey } = await startStubServer((request, response) => {
		const { url = '' } = request;
		if (url.endsWith('/sites')) {
			account.sitesRequestedAt.push(Date.now());
			if (account.failsToListSites === true) response.writeHead(400).end('{}');
			else json({ sites: account.sites })(request, response);
		} else if (url.includes('/watchdog/')) {
			json({ events: account.alerts ?? [] })(request, response);
		} else {
			const text = JSON.stringify({ exchanges: account.exchanges });
			json(text.replace(/"raw:(\d+)"/g, '$1'))(request, response);
		}
	});
	return { account, poller: new Poller({ baseUrl, apiKey }, parameters) };
}

export function getEventKeys(items: Array<Record<string, unknown>>): string[] {
	return items.map(({ eventKey }) => String(eventKey));
}

export function getEventNames(items: Array<Record<string, unknown>>): string[] {
	return items.map(({ event }) => String(event));
}

/** Polls each minute, this many times. */
export async function pollFor(poller: Poller, minutes: number): Promise<void> {
	for (let passed = 0; passed < minutes; passed++) {
		await n8nWorkflow.sleep(minute);
		await poller.poll();
	}
}
