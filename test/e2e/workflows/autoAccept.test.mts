import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { output } from './editor.mts';
import { slackToken, startWorld, type World } from './world.mts';

const trigger = 'Every hour';
let world: World;

beforeAll(async () => {
	world = await startWorld({ credits: 100 });
});

afterAll(async () => {
	await world.close();
});

beforeEach(() => {
	world.slack.messages.length = 0;
	world.slack.state = 'up';
	world.sandbox.setCredits(100);
	for (const { id } of world.sandbox.books.exchanges('pending')) world.sandbox.accept(id);
	world.sandbox.setCredits(100);
});

it('can be published once the credentials are chosen', async () => {
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept');
	await workflow.publish();
});

it('accepts what the rules allow, leaves alone what they refuse, and asks for the rest in Slack, once', async () => {
	const { sandbox, slack } = world;
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept', {
		ownSites: 'https://www.mine.example/blog, other.example',
		refusedAnchorWords: 'Casino',
		allowedPartners: 'friend.example',
		refusedPartners: 'spam.example',
		slackChannel: '#link-exchange',
	});
	const toSite = 'https://mine.example/';
	const good = sandbox.requestOffer({ fromSite: 'https://friend.example/', toSite });
	const casino = sandbox.requestOffer({
		fromSite: 'https://friend.example/',
		toSite,
		anchor: 'best CASINO here',
	});
	const spam = sandbox.requestOffer({ fromSite: 'https://www.spam.example/a', toSite });
	const stranger = sandbox.requestOffer({
		fromSite: 'https://stranger.example/',
		toSite,
		anchor: '<!channel> look & see',
	});

	const first = await workflow.execute(trigger);
	expect(first.status).toBe('success');
	expect(sandbox.books.exchange(good.id).status).toBe('accepted');
	for (const { id } of [casino, spam, stranger]) {
		expect(sandbox.books.exchange(id).status).toBe('pending');
	}
	expect(slack.messages).toHaveLength(1);
	const [message] = slack.messages;
	expect(message).toMatchObject({
		channel: '#link-exchange',
		authorization: `Bearer ${slackToken}`,
	});
	expect(message?.text.split('\n')).toEqual([
		`Accepted: ${good.id} from friend.example for mine.example, "a good read"`,
		`Please decide: ${stranger.id} from stranger.example for mine.example, "&lt;!channel&gt; look &amp; see" (the partner is on neither list)`,
		'Credits left: 90',
	]);

	const again = await workflow.execute(trigger);
	expect(again.status).toBe('success');
	expect(slack.messages).toHaveLength(1);
});

it('tells by the next run what could not be told because Slack was down', async () => {
	const { sandbox, slack } = world;
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept', {
		slackChannel: '#link-exchange',
		ownSites: 'mine.example',
	});
	const mine = sandbox.requestOffer({ toSite: 'https://mine.example' });
	const foreign = sandbox.requestOffer({ toSite: 'https://foreign.example' });
	for (const state of ['down', 'refusing'] as const) {
		slack.state = state;
		const failed = await workflow.execute(trigger);
		expect(failed.status).toBe('error');
		expect(failed.lastNode).toBe('Tell Slack');
	}
	expect(sandbox.books.exchange(mine.id).status).toBe('accepted');
	expect(sandbox.books.acceptsOf(mine.id)).toBe(1);

	slack.state = 'up';
	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(slack.messages.map(({ text }) => text)).toEqual([
		expect.stringContaining(`Please decide: ${foreign.id}`),
	]);
});

it('keeps the credit floor and the maximum per run, and needs no Slack', async () => {
	const { sandbox, slack } = world;
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept', {
		minimumBalance: 75,
		maxAccepts: 2,
	});
	for (let offer = 0; offer < 4; offer++) sandbox.requestOffer();
	const first = await workflow.execute(trigger);
	expect(first.status).toBe('success');
	expect(sandbox.books.balance()).toBe(80);
	expect(output(first, 'Accept offer').map(({ outcome }) => outcome)).toEqual([
		'accepted',
		'accepted',
		'skipped',
		'skipped',
	]);
	// 80 credits: one more may be accepted, the last one would be paid from what is to be kept.
	await workflow.execute(trigger);
	await workflow.execute(trigger);
	expect(sandbox.books.balance()).toBe(70);
	expect(slack.messages).toHaveLength(0);
});

it('says in Slack that the credits do not suffice, and shows the execution as failed', async () => {
	const { sandbox, slack } = world;
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept', {
		minimumBalance: 0,
		slackChannel: '#link-exchange',
	});
	sandbox.setCredits(15);
	const dear = sandbox.requestOffer({ cost: 20 });
	const cheap = sandbox.requestOffer({ cost: 5 });
	const execution = await workflow.execute(trigger);
	expect(sandbox.books.exchange(cheap.id).status).toBe('accepted');
	expect(sandbox.books.exchange(dear.id).status).toBe('pending');
	expect(slack.messages).toHaveLength(1);
	expect(slack.messages[0]?.text).toMatch(new RegExp(`^Failed: ${dear.id} .*20.*15`, 'm'));
	expect(slack.messages[0]?.text).toContain(`Accepted: ${cheap.id}`);
	expect(execution).toMatchObject({ status: 'error', lastNode: 'Show the failure' });
	expect(execution.error).toContain(dear.id);
});

it('does nothing and says nothing when there is no offer', async () => {
	const { slack } = world;
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept', {
		slackChannel: '#link-exchange',
	});
	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(slack.messages).toHaveLength(0);
});
