import { createHmac } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { clickButton, decideByEmail } from './approval.mts';
import type { Imported } from './editor.mts';
import { callWorkflow } from './inbox.mts';
import { emailTo, forget, importTell, slackChannel, tellSlack } from './outbox.mts';
import { startWorld, webhookSecret, type World } from './world.mts';

let world: World;
let tell: Imported;
let workflow: Imported;

/** Publishes the workflow with these settings, in the place of the one before. */
async function publish(
	settings: Record<string, unknown> = {},
	activate = ['Ask in Slack'],
): Promise<void> {
	workflow = await world.editor.importWorkflow(
		'offer-approval',
		{ ask: slackChannel, ...settings },
		activate,
	);
	await workflow.publish();
	const url = await world.n8n.webhookUrl(workflow.id);
	world.sandbox.setWebhook({ url, secret: webhookSecret });
}

beforeAll(async () => {
	world = await startWorld({
		credits: 100,
		delivery: { backoffMilliseconds: [] },
		limits: { perMinute: 100_000 },
	});
	tell = await importTell(world);
	await tell.execute('Every minute');
});

afterAll(async () => {
	await world.close();
});

beforeEach(async () => {
	world.slack.state = 'up';
	world.slack.messages.length = 0;
	world.mailbox.mails.length = 0;
	world.sandbox.setWebhook(undefined);
	world.sandbox.setCredits(100);
	await forget(world);
});

/** The questions in Slack, as soon as there are so many. */
async function questions(count: number) {
	const asked = () => world.slack.messages.filter(({ blocks }) => blocks !== undefined);
	await expect.poll(() => asked().length, { timeout: 30_000 }).toBe(count);
	return asked();
}

/** What the questions' executions put into the outbox, told, as soon as it contains this. */
async function told(part: string, timeout = 30_000): Promise<string> {
	let text = '';
	await expect
		.poll(
			async () => {
				text += (await tellSlack(world, tell)).join('\n');
				return text;
			},
			{ timeout, interval: 500 },
		)
		.toContain(part);
	return text;
}

const click = (label: string) => clickButton(world.slack, label);

it('can be published right after its import with only the one credential', async () => {
	await publish({}, []);
	const offer = world.sandbox.requestOffer();
	expect(await told('nobody was asked')).toContain(
		'"Ask in Slack" is deactivated'.replaceAll('"', "'"),
	);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
});

it('shows an offer, accepts it when somebody approves, and tells both', async () => {
	await publish();
	const offer = world.sandbox.requestOffer({
		fromSite: 'https://partner.example/',
		toSite: 'https://mine.example/',
		anchor: '<!channel> a & b\\n*bold* "Accept"\n:x:',
	});
	const [question] = await questions(1);
	const [, section] = question?.blocks as Array<{ text?: { type: string; text: string } }>;
	expect(question?.channel).toBe(slackChannel);
	// Plain text: Slack neither formats it nor finds anybody to ping in it.
	expect(section?.text?.type).toBe('plain_text');
	expect(section?.text?.text).toBe(
		`Accept the offer “${offer.id}”? From “https://partner.example/” for “https://mine.example/”, with the anchor text “‹!channel› a + b/n*bold* ’Accept’ :\u200bx:”. Accepting spends credits.`,
	);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');

	await click('Accept');
	const text = await told('Accepted: ');
	expect(text).toContain(`Approved, and about to be accepted: exchange "${offer.id}"`);
	expect(text).toContain(`Accepted: exchange "${offer.id}"`);
	expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
});

it('asks by email, and a scanner that opens the link accepts nothing', async () => {
	await publish({ ask: emailTo, emailFrom: 'n8n@company.example' }, ['Ask by email']);
	const offer = world.sandbox.requestOffer({ anchor: '<b>bold</b>\\nline' });
	await expect.poll(() => world.mailbox.mails.length, { timeout: 30_000 }).toBe(1);
	expect(world.mailbox.mails[0]).toContain(`To: ${emailTo}`);
	const decide = await decideByEmail(world.mailbox.mails[0]);
	expect(decide.page).not.toContain('<b>bold');
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
	await decide.send('Accept');
	await told('Accepted: ');
	expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);

	const other = world.sandbox.requestOffer();
	await expect.poll(() => world.mailbox.mails.length, { timeout: 30_000 }).toBe(2);
	await (await decideByEmail(world.mailbox.mails[1])).send('Decline');
	await told('Declined');
	expect(world.sandbox.books.exchange(other.id).status).toBe('pending');
});

it('accepts nothing when somebody declines', async () => {
	await publish();
	const offer = world.sandbox.requestOffer();
	await questions(1);
	await click('Decline');
	await told('Declined');
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
	expect(world.sandbox.books.balance()).toBe(100);
});

it('says that the credits do not suffice, and keeps the credit floor', async () => {
	await publish({ minimumBalance: 100 });
	const kept = world.sandbox.requestOffer({ cost: 10 });
	await questions(1);
	await click('Accept');
	await told('Not accepted');
	expect(world.sandbox.books.exchange(kept.id).status).toBe('pending');

	await publish();
	world.sandbox.setCredits(3);
	const dear = world.sandbox.requestOffer({ cost: 10 });
	await questions(2);
	await click('Accept');
	expect(await told(`Not accepted: exchange "${dear.id}"`)).toMatch(/10.*3/);
});

it('says that it was accepted before, and spends nothing', async () => {
	await publish();
	const offer = world.sandbox.requestOffer();
	await questions(1);
	world.sandbox.accept(offer.id);
	await click('Accept');
	await told('Accepted before; nothing was spent now');
	expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
});

it('asks for each of several offers, and once though the event comes twice, also from the event inbox', async () => {
	await publish();
	world.sandbox.setWebhook(undefined);
	const offers = [world.sandbox.requestOffer(), world.sandbox.requestOffer()];
	// The service may deliver several events at once (service-api.md does not show the wrapper).
	const data = offers.map(({ id }) => ({
		id,
		from_site: 'a.example',
		to_site: 'b.example',
		anchor: 'c',
	}));
	const body = JSON.stringify(data);
	const answer = await fetch(await world.n8n.webhookUrl(workflow.id), {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-pb-signature': createHmac('sha256', webhookSecret).update(body).digest('hex'),
		},
		body,
	});
	expect(answer.status).toBe(200);
	await questions(2);
	const event = { event: 'exchange.requested', eventKey: 'x', data: data[0], source: 'poll' };
	// It does not wait for the answer, so the inbox need not either.
	expect((await callWorkflow(world, workflow, event)).status).toBe('success');
	const third = world.sandbox.requestOffer();
	const other = { ...event, data: { ...data[0], id: third.id } };
	expect((await callWorkflow(world, workflow, other)).status).toBe('success');
	const asked = await questions(3);
	expect(JSON.stringify(asked.at(-1))).toContain(third.id);
	await click('Accept');
	await told(`Accepted: exchange "${third.id}"`);
	expect(offers.map(({ id }) => world.sandbox.books.exchange(id).status)).toEqual([
		'pending',
		'pending',
	]);
});

it('tells that nobody could be asked when Slack was down', async () => {
	await publish();
	world.slack.state = 'down';
	const offer = world.sandbox.requestOffer();
	const before = workflow.executions().length;
	// The event's execution, and the one that asks.
	await workflow.finished(before + 1);
	expect(await tellSlack(world, tell)).toEqual([]);
	world.slack.state = 'up';
	expect(await told('nobody could be asked')).toContain(offer.id);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
});

it('gives up when nobody answers in time, and says so', async () => {
	// Half a second, in days. n8n looks once a minute for what has waited long enough.
	await publish({ daysToDecide: 0.5 / 86_400 });
	const offer = world.sandbox.requestOffer();
	await questions(1);
	expect(await told('Nobody has decided', 100_000)).toContain(offer.id);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
});

it('tells of the same exchange in two copies apart', async () => {
	await publish();
	const first = workflow;
	await publish();
	const data = { id: world.sandbox.requestOffer().id, from_site: 'a.example' };
	await questions(1);
	const event = { event: 'exchange.requested', eventKey: 'x', data, source: 'poll' };
	expect((await callWorkflow(world, first, event)).status).toBe('success');
	await questions(2);
});
