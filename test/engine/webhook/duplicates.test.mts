/** Identical bytes within the window are one delivery, whatever happens meanwhile. */
import { setTimeout } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, deliver, runs } from './deliver.mts';
import type { WebhookServer } from './webhookServer.mts';

const time = useVirtualTime();

const body = JSON.stringify({ id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' });
const received = { status: 200, message: 'Received' };
const again = { status: 200, message: 'Already received' };
const comeAgain = {
	status: 503,
	message: 'The same delivery is being received; send it again later',
};

/** Holds the next execution before it starts. */
function held(server: WebhookServer) {
	const [entered, held] = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
	server.beforeExecution = async () => {
		entered.resolve(true);
		await held.promise;
	};
	const release = () => {
		held.resolve(true);
	};
	return { entered: entered.promise, release, fail: held.reject };
}

it('duplicates, one after another or at once, start one execution', async () => {
	const server = await begin();
	const answers = await Promise.all(Array.from({ length: 30 }, () => deliver(server, body)));
	expect(answers.filter(({ message }) => message === 'Received')).toEqual([received]);
	for (const answer of answers) expect([received, again, comeAgain]).toContainEqual(answer);
	expect(await deliver(server, body)).toEqual(again);
	// Nothing of the URL but the node is signed.
	expect(await deliver({ url: `${server.url}?again` }, body)).toEqual(again);
	expect(runs(server)).toBe(1);
});

it('other bytes, however alike, are another delivery, and so are the same in another workflow', async () => {
	const [server, other] = [await begin(), await begin()];
	for (const bytes of [body, `${body} `, body.replace('exc_1', 'exc_2')]) {
		expect(await deliver(server, bytes)).toEqual(received);
	}
	expect(runs(server)).toBe(3);
	expect(await deliver(other, body)).toEqual(received);
});

it('a header that is not signed makes no second delivery of the same bytes, also where unknown events start the workflow', async () => {
	const server = await begin({ options: { unknownEvents: 'trigger' } });
	for (const bytes of [body, '{"id":"exc_1"}']) {
		expect(await deliver(server, bytes)).toEqual(received);
		for (const event of ['exchange.accepted', 'exchange.published', 'made.up']) {
			expect(await deliver(server, bytes, { 'x-pb-event': event })).toEqual(again);
		}
	}
	expect(runs(server)).toBe(2);
});

it('duplicates count as deliveries as soon as that is turned off', async () => {
	const server = await begin();
	expect(await deliver(server, body)).toEqual(received);
	expect(await deliver(server, body)).toEqual(again);
	server.parameters = { ...server.parameters, options: { deduplicate: 0 } };
	for (let time = 0; time < 2; time++) expect(await deliver(server, body)).toEqual(received);
	expect(runs(server)).toBe(3);
});

it('it is a delivery again when its minutes are over, whatever is done to the clock', async () => {
	const server = await begin({ options: { deduplicate: 2 } });
	expect(await deliver(server, body)).toEqual(received);
	time.ahead = -Date.now();
	await setTimeout(120_000 - 1);
	expect(await deliver(server, body)).toEqual(again);
	await setTimeout(1);
	expect(await deliver(server, body)).toEqual(received);
	time.ahead = 0;
});

it('of two at once, the second is asked to come again, and is taken then if n8n could not take the first', async () => {
	const server = await begin();
	const { entered, fail } = held(server);
	const first = deliver(server, body);
	await entered;
	expect(await deliver(server, body)).toEqual(comeAgain);
	fail(new Error('the database is away'));
	expect((await first).status).toBe(500);
	server.beforeExecution = () => Promise.resolve();
	expect(await deliver(server, body)).toEqual(received);
	expect(server.executions).toHaveLength(1);
});

it('a delivery whose sender did not wait for the answer: asked to come again, then known as received', async () => {
	const server = await begin();
	const { entered, release } = held(server);
	const impatient = new AbortController();
	const delivery = deliver(server, body, {}, impatient.signal).catch(() => undefined);
	await entered;
	impatient.abort();
	await delivery;
	expect(await deliver(server, body)).toEqual(comeAgain);
	release();
	await expect.poll(() => server.executions.length).toBe(1);
	expect(await deliver(server, body)).toEqual(again);
	expect(server.executions).toHaveLength(1);
});
