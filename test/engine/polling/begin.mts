/** What the tests of the polling trigger begin with. */
import type { IncomingMessage } from 'node:http';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { SandboxOptions } from '../../../sandbox/sandbox.mts';
import { json, localService } from '../localServer.mts';
import { n8nWorkflow } from '../n8n.mts';
import { testService } from '../service.mts';
import { Poller, type PollerOptions } from './poller.mts';

const { sleep } = n8nWorkflow;

export const onlyOffers = { events: ['exchange.requested'] };

/** A sandbox that ends with the test, and a poller of it. */
export async function begin(
	options: SandboxOptions = {},
	parameters = {},
	kind: PollerOptions = {},
) {
	const { sandbox } = await testService({ credits: 10_000, ...options });
	const credential = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
	const poller = new Poller(credential, parameters, kind);
	return { sandbox, poller };
}

/** The same, after the first poll, which takes note of what is there. */
export async function started(options: SandboxOptions = {}, parameters = {}) {
	const { sandbox, poller } = await begin(options, parameters);
	await poller.start();
	return { sandbox, poller };
}

/** A poller of a service that answers whatever `answer` returns as JSON, to any request. */
export async function beginWith(
	answer: (request: IncomingMessage) => unknown,
	parameters: INodeParameters = {},
) {
	const { baseUrl } = await localService((request, response) => {
		json(answer(request))(request, response);
	});
	return new Poller({ baseUrl, apiKey: 'key' }, parameters);
}

export function keys(items: Array<Record<string, unknown>>): string[] {
	return items.map(({ eventKey }) => String(eventKey));
}

export function names(items: Array<Record<string, unknown>>): string[] {
	return items.map(({ event }) => String(event));
}

/** The executions that were started with items; those without only save. */
export function withItems({ executions }: Poller): IDataObject[][] {
	return executions.filter((items) => items.length > 0);
}

/** Polls once a minute, as n8n does, and returns the minutes at which executions with items started. */
export async function pollFor(poller: Poller, minutes: number): Promise<number[]> {
	const startedAt: number[] = [];
	const begunAt = performance.now();
	for (let number = 0; number <= minutes; number++) {
		await sleep(Math.max(1, begunAt + number * 60_000 - performance.now()));
		if ((await poller.poll()).length > 0) startedAt.push(number);
	}
	return startedAt;
}
