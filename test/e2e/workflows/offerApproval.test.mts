import { createHmac } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { clickButton, decideByEmail, openAddress, questionAddresses } from './approval.mts';
import { callWorkflow } from './caller.mts';
import type { Imported } from './editor.mts';
import { change, emailTo, forget, importTell, slackChannel, tellSlack } from './outbox.mts';
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

/** The questions in Slack, as soon as there are this many. */
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

it('shows an offer, accepts it when somebody approves, and tells it once', async () => {
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
	expect(text.split('\n')).toEqual([
		'Offer approval',
		expect.stringMatching(`^Accepted: exchange "${offer.id}", from "https://partner.example/"`),
	]);
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

const event = (id: string) => ({
	event: 'exchange.requested',
	eventKey: `exchange.requested:${id}`,
	data: { id, from_site: 'a.example', to_site: 'b.example', anchor: 'c' },
	source: 'poll',
});

it('says that the credits do not suffice, keeps the credit floor, and asks again when the event comes again', async () => {
	await publish({ minimumBalance: 100 });
	const kept = world.sandbox.requestOffer({ cost: 10 });
	await questions(1);
	await click('Accept');
	expect(await told('Not accepted, and nothing was spent')).toContain('not above the minimum');
	expect(world.sandbox.books.exchange(kept.id).status).toBe('pending');

	await publish();
	world.sandbox.setCredits(3);
	const dear = world.sandbox.requestOffer({ cost: 10 });
	await questions(2);
	await click('Accept');
	const refused = await told(dear.id);
	expect(refused).toMatch(/Not accepted, and nothing was spent.* exchange ".*10.*3/);

	world.sandbox.setCredits(50);
	await callWorkflow(world, workflow, event(dear.id));
	await questions(3);
	await click('Accept');
	await told(`Accepted: exchange "${dear.id}"`);
	expect(world.sandbox.books.acceptsOf(dear.id)).toBe(1);
	// What was decided is not asked about again.
	const before = workflow.executions().length;
	await callWorkflow(world, workflow, event(dear.id));
	await workflow.finished(before + 1);
	await questions(3);
});

it.each([403, 409, 404])(
	'says that nothing was spent when the service refuses an approved accept with %i',
	async (status) => {
		await publish();
		const { id } = world.sandbox.requestOffer();
		await questions(1);
		world.sandbox.addFault({ kind: 'error-before-commit', method: 'POST', status, times: 100 });
		await click('Accept');
		await told('Not accepted, and nothing was spent');
		world.sandbox.clearFaults();
		expect(world.sandbox.books.acceptsOf(id)).toBe(0);
	},
);

it('accepts once when two runs have asked about the same offer, and both are approved', async () => {
	await publish();
	world.sandbox.setWebhook(undefined);
	const { id } = world.sandbox.requestOffer();
	await callWorkflow(world, workflow, event(id));
	await questions(1);
	// As if the second one had begun before the row of the first one could be seen.
	await change(world, { outcome: 'repeated' }, id);
	await callWorkflow(world, workflow, event(id));
	await questions(2);
	await change(world, { outcome: 'question' }, id);
	const before = workflow.executions().length;
	const [first, second] = questionAddresses(world.slack, 'Accept');
	await openAddress(first);
	await openAddress(second);
	await workflow.finished(before + 1);
	expect(
		workflow
			.executions()
			.slice(before)
			.map(({ status }) => status),
	).toContain('error');
	expect((await told('Accepted: ')).match(/Accepted: /g)).toHaveLength(1);
	expect(world.sandbox.books.acceptsOf(id)).toBe(1);
	expect(
		world.sandbox.books
			.requests()
			.filter(({ method, path }) => method === 'POST' && path.includes(id)),
	).toHaveLength(1);
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

it('asks for each of several offers, and once though the event comes twice, also when another workflow calls it', async () => {
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
	// It does not wait for the answer, so the caller need not either.
	const [again = ''] = offers.map(({ id }) => id);
	expect((await callWorkflow(world, workflow, event(again))).status).toBe('success');
	const third = world.sandbox.requestOffer();
	expect((await callWorkflow(world, workflow, event(third.id))).status).toBe('success');
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

it('tells in the end of a question whose execution is gone', async () => {
	await publish({ daysToDecide: 1 });
	const { id } = world.sandbox.requestOffer();
	await questions(1);
	expect(await tellSlack(world, tell)).toEqual([]);
	await change(world, { claimedAt: new Date(Date.now() - 16 * 60_000).toISOString() }, id);
	expect(await tellSlack(world, tell)).toEqual([
		expect.stringMatching(`Nobody has decided.*${id}`),
	]);
	// Somebody who answers all the same is heard.
	await click('Accept');
	await told(`Accepted: exchange "${id}"`);
	expect(world.sandbox.books.acceptsOf(id)).toBe(1);
});

it.each([0, -1, 366, '={{ "three" }}', '={{ null }}'])(
	'stops when daysToDecide is %j, before anybody is asked',
	async (daysToDecide) => {
		const wrong = await world.editor.importWorkflow('offer-approval', { daysToDecide });
		await wrong.publish();
		const execution = await callWorkflow(world, wrong, event('exc_1'));
		expect(execution.error).toContain('daysToDecide');
		expect(await tellSlack(world, tell)).toEqual([]);
	},
);

it('tells of the same exchange in two copies apart', async () => {
	await publish();
	const first = workflow;
	await publish();
	const { id } = world.sandbox.requestOffer();
	await questions(1);
	expect((await callWorkflow(world, first, event(id))).status).toBe('success');
	await questions(2);
});
