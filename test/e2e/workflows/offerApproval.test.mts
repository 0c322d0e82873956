import { createHmac } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { clickButton } from './approval.mts';
import type { Imported } from './editor.mts';
import { startWorld, webhookSecret, type World } from './world.mts';

let world: World;
let workflow: Imported;

/** Publishes the workflow with these settings, in the place of the one before. */
async function publish(settings: Record<string, unknown> = {}): Promise<void> {
	workflow = await world.editor.importWorkflow('offer-approval-in-slack', settings);
	await workflow.publish();
	const url = await world.n8n.webhookUrl(workflow.id);
	world.sandbox.setWebhook({ url, secret: webhookSecret });
}

beforeAll(async () => {
	world = await startWorld({ credits: 100, delivery: { backoffMilliseconds: [] } });
	await publish();
});

afterAll(async () => {
	await world.close();
});

beforeEach(() => {
	world.slack.state = 'up';
	world.slack.messages.length = 0;
	world.sandbox.setCredits(100);
});

/** Waits until Slack has so many messages. */
async function messages(count: number) {
	await expect.poll(() => world.slack.messages.length, { timeout: 30_000 }).toBe(count);
	return world.slack.messages;
}

const click = (label: string) => clickButton(world.slack, label);

it('shows an offer, accepts it when somebody approves, and answers in the thread', async () => {
	const offer = world.sandbox.requestOffer({
		fromSite: 'https://partner.example/',
		toSite: 'https://mine.example/',
		anchor: '<!channel> a & b',
	});
	const [shown, question] = await messages(2);
	expect(shown?.channel).toBe('#link-exchange');
	expect(shown?.text).toBe(
		`New offer ${offer.id}: https://partner.example/ and https://mine.example/, with the anchor text "&lt;!channel&gt; a &amp; b"`,
	);
	expect(question?.thread_ts).toBe(shown?.ts);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');

	await click('Accept');
	const [, , reply] = await messages(3);
	expect(reply).toMatchObject({ thread_ts: shown?.ts, text: 'Accepted. Credits left: 90.' });
	expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
});

it('accepts nothing when somebody declines', async () => {
	const offer = world.sandbox.requestOffer();
	await messages(2);
	await click('Decline');
	const [shown, , reply] = await messages(3);
	expect(reply?.thread_ts).toBe(shown?.ts);
	expect(reply?.text).toMatch(/^Declined\./);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
	expect(world.sandbox.books.balance()).toBe(100);
});

it('says in the thread that the credits do not suffice', async () => {
	world.sandbox.setCredits(3);
	const offer = world.sandbox.requestOffer({ cost: 10 });
	await messages(2);
	await click('Accept');
	const [, , reply] = await messages(3);
	expect(reply?.text).toMatch(/^Not accepted: .*10.*3/s);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
});

it('says that it was accepted before, and spends nothing', async () => {
	const offer = world.sandbox.requestOffer();
	await messages(2);
	world.sandbox.accept(offer.id);
	await click('Accept');
	const [, , reply] = await messages(3);
	expect(reply?.text).toBe('It had been accepted before; nothing was spent now. Credits left: 90.');
	expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
});

it('asks for each of several offers, one after the other', async () => {
	const offers = [world.sandbox.requestOffer(), world.sandbox.requestOffer()];
	await messages(4);
	world.slack.messages.length = 0;
	// The service may deliver several events at once (service-api.md does not show the wrapper).
	const body = JSON.stringify(
		offers.map(({ id }) => ({ id, from_site: 'a.example', to_site: 'b.example', anchor: 'c' })),
	);
	const answer = await fetch(await world.n8n.webhookUrl(workflow.id), {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-pb-signature': createHmac('sha256', webhookSecret).update(body).digest('hex'),
		},
		body,
	});
	expect(answer.status).toBe(200);
	await messages(2);
	await click('Decline');
	await messages(5);
	await click('Accept');
	await messages(6);
	const { text } = world.slack.messages[3] ?? {};
	expect(text).toContain(offers[1]?.id);
	expect(offers.map(({ id }) => world.sandbox.books.exchange(id).status)).toEqual([
		'pending',
		'accepted',
	]);
});

it('fails where one can see it when Slack is down, and leaves the offer pending', async () => {
	world.slack.state = 'down';
	const offer = world.sandbox.requestOffer();
	await expect
		.poll(() => workflow.executions().at(-1), { timeout: 30_000 })
		.toMatchObject({
			status: 'error',
			lastNode: 'Show offer',
		});
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
});

it('gives up when nobody answers in time, and says so in the thread', async () => {
	// Half a second, in days. n8n looks once a minute for what has waited long enough.
	await publish({ daysToDecide: 0.5 / 86_400 });
	const offer = world.sandbox.requestOffer();
	await messages(2);
	await expect.poll(() => world.slack.messages.length, { timeout: 100_000 }).toBe(3);
	expect(world.slack.messages[2]?.text).toMatch(/^Nobody has decided\./);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
});
