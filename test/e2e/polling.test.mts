/** The polling trigger in a real n8n: stops, failures and outages repeat no event and lose none. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { node, to } from './nodes.mts';
import type { Imported } from './workflows/editor.mts';
import { useWorld } from './workflows/environment.mts';

const world = useWorld();

/** A call to the receiving end, which records what the workflows did with their events. */
interface Call {
	eventKey: string;
	trigger: string;
}
const calls: Call[] = [];
/** Of a call. */
let durationMs: number;
const receiver = createServer((request, response) => {
	void json(request).then(async (body) => {
		const call = body as Call;
		calls.push(call);
		await sleep(durationMs);
		response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
	});
});
let url: string;
beforeAll(async () => {
	await once(receiver.listen(0, '127.0.0.1'), 'listening');
	url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
});
afterAll(() => {
	receiver.closeAllConnections();
	receiver.close();
});

/** The published workflow of the test. */
let workflow: Imported;
beforeEach(() => {
	Object.assign(calls, { length: 0 });
	durationMs = 0;
});
afterEach(async () => {
	await workflow.unpublish();
});

/**
 * Publishes a workflow with these polling triggers, each of which polls every six seconds, and a
 * node that sends on their events.
 */
async function publish(triggers: string[]): Promise<void> {
	const item = Array.from({ length: 10 }, (_, number) => ({
		mode: 'custom',
		cronExpression: `${6 * number} * * * * *`,
	}));
	const pollTimes = { item };
	const type = 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger';
	const events = ['exchange.requested'];
	const body = '={{ { eventKey: $json.eventKey, trigger: $prevNode.name } }}';
	const request = { method: 'POST', url, sendBody: true, specifyBody: 'json', jsonBody: body };
	workflow = await world.editor.create({
		name: 'Polling',
		nodes: [
			...triggers.map((name) => node(name, type, 1, { pollTimes, events })),
			node('Send', 'httpRequest', 4.2, { ...request, options: {} }),
		],
		connections: Object.fromEntries(triggers.map((name) => [name, to('Send')])),
		settings: { executionOrder: 'v1' },
	});
	// n8n responds before the first poll, which records the current state.
	await world.asked(1, () => workflow.publish());
}

async function stopAndStart(meanwhile: () => void = () => undefined): Promise<void> {
	await world.n8n.stop();
	meanwhile();
	await world.n8n.start();
	await world.editor.logIn();
}

function offer(...ids: string[]): void {
	for (const id of ids) world.sandbox.requestOffer({ id });
}

/**
 * Waits until these events have been processed, then for some more polls, and expects each event
 * once per trigger.
 */
async function expectOnce(ids: string[], triggers = ['Poll']): Promise<void> {
	const expected = ids.flatMap((id) => triggers.map((each) => `exchange.requested:${id} ${each}`));
	const done = () => calls.map(({ eventKey, trigger }) => `${eventKey} ${trigger}`);
	await expect.poll(() => new Set(done()), { timeout: 120_000 }).toEqual(new Set(expected));
	await sleep(15_000);
	expect(done().sort()).toEqual(expected.sort());
}

test('one poll starts one execution; a stop during it and events while n8n is off lose nothing', async () => {
	await publish(['Poll']);
	durationMs = 8000;
	offer('a', 'b');
	await expect.poll(() => calls.length, { timeout: 60_000 }).toBeGreaterThan(0);
	await stopAndStart(() => {
		durationMs = 0;
		offer('c');
	});
	await expectOnce(['a', 'b', 'c']);
	const sizes = workflow.executions().map(({ id }) => id);
	expect(new Set(sizes).size).toBeLessThanOrEqual(2);
}, 300_000);

test('two triggers in a workflow keep their states when one is edited, republished or renamed', async () => {
	await publish(['One', 'Two']);
	offer('d');
	await expectOnce(['d'], ['One', 'Two']);
	const { nodes, connections } = await workflow.read();
	await workflow.change({
		nodes: nodes.map((each) => (each.name === 'One' ? { ...each, name: 'Renamed' } : each)),
		connections: { Renamed: connections.One ?? to(), Two: connections.Two ?? to() },
	});
	await workflow.publish();
	calls.length = 0;
	offer('e');
	await expectOnce(['e'], ['Renamed', 'Two']);
	calls.length = 0;
	await stopAndStart(() => {
		offer('f');
	});
	await expectOnce(['f'], ['Renamed', 'Two']);
}, 400_000);

test('the trigger survives an outage while n8n starts, and emits the events afterwards', async () => {
	await publish(['Poll']);
	await stopAndStart(() => {
		world.sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: 1_000_000 });
		offer('g');
	});
	// n8n retries the activation of a workflow for half a minute.
	await sleep(40_000);
	world.sandbox.clearFaults();
	offer('h');
	await expectOnce(['g', 'h']);
}, 300_000);
