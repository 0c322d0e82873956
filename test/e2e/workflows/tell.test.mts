/** The workflow that tells Slack and email what the others wrote down. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { bodyOf } from './mailbox.mts';
import { emailTo, forget, importTell, news, slackChannel, tellSlack, write } from './outbox.mts';
import { slackToken, startWorld, type World } from './world.mts';

let world: World;
let toSlack: Imported;
let toEmail: Imported;
let toBoth: Imported;

beforeAll(async () => {
	world = await startWorld();
	toSlack = await importTell(world);
	toEmail = await importTell(world, emailTo);
	toBoth = await importTell(world, `${slackChannel}, ${emailTo}`);
	await toSlack.execute('Every minute');
});

afterAll(async () => {
	await world.close();
});

beforeEach(async () => {
	world.slack.state = 'up';
	world.slack.messages.length = 0;
	world.mailbox.refusing = false;
	world.mailbox.mails.length = 0;
	await forget(world);
});

const facts = (values: Record<string, unknown>) => JSON.stringify(Object.entries(values));
const states = () => news(world).map(({ state, slack, email }) => [state, slack, email]);

it('says what is missing as long as nobody is named, and leaves the news where it is', async () => {
	const fresh = await world.editor.importWorkflow('tell-slack-and-email');
	await write(world, [{ headline: 'Accepted' }]);
	const execution = await fresh.execute('Every minute');
	expect(execution.status).toBe('error');
	expect(execution.error).toContain('"tell" is empty');
	expect(states()).toEqual([['new', null, null]]);
	expect(await tellSlack(world, toSlack)).toEqual(['A workflow\nAccepted']);
});

it.each([
	['#one, #two', 'more than one Slack channel'],
	['link-exchange', '"link-exchange", which is neither'],
	['#x <!channel>', 'which is neither'],
])('does not take %j for a recipient', async (tell, message) => {
	const execution = await (await importTell(world, tell)).execute('Every minute');
	expect(execution.error).toContain(message);
});

it('tells Slack once, in one message for each workflow', async () => {
	await write(world, [
		{ key: 'a', headline: 'Accepted', facts: facts({ exchange: 'ex_1', 'credits left:': 90 }) },
		{ key: 'b', headline: 'Failed', facts: facts({ exchange: 'ex_2' }) },
		{ key: 'c', headline: 'Low', workflow: 'Another' },
	]);
	expect(await tellSlack(world, toSlack)).toEqual([
		'A workflow\nAccepted: exchange "ex_1", credits left: 90\nFailed: exchange "ex_2"',
		'Another\nLow',
	]);
	expect(world.slack.messages[0]).toMatchObject({
		channel: slackChannel,
		mrkdwn: false,
		authorization: `Bearer ${slackToken}`,
	});
	expect(await tellSlack(world, toSlack)).toEqual([]);
	expect(states()).toEqual(Array.from({ length: 3 }, () => ['told', 'told', null]));
});

it('tells by email once, and both where both are set up', async () => {
	await write(world, [{ key: 'a', headline: 'Accepted', facts: facts({ anchor: '<b>&' }) }]);
	expect((await toEmail.execute('Every minute')).status).toBe('success');
	await toEmail.execute('Every minute');
	expect(world.mailbox.mails).toHaveLength(1);
	expect(world.mailbox.mails[0]).toContain('Subject: A workflow: Accepted');
	expect(bodyOf(world.mailbox.mails[0])).toContain('anchor "&lt;b&gt;&amp;"');

	await write(world, [{ key: 'b', headline: 'Both' }]);
	expect(await tellSlack(world, toBoth)).toHaveLength(1);
	expect(world.mailbox.mails).toHaveLength(2);
	await toBoth.execute('Every minute');
	expect(news(world).map(({ state }) => state)).toEqual(['told', 'told']);
});

it.each(['down', 'refusing'] as const)(
	'keeps the news while Slack is %s, shows the failure, and tells the email all the same',
	async (state) => {
		await write(world, [{ key: 'a', headline: 'Accepted' }]);
		world.slack.state = state;
		for (let minute = 0; minute < 2; minute++) {
			expect(await toBoth.execute('Every minute')).toMatchObject({
				status: 'error',
				lastNode: 'Show what failed',
			});
		}
		expect(world.mailbox.mails).toHaveLength(1);
		world.slack.state = 'up';
		expect(await tellSlack(world, toBoth)).toEqual(['A workflow\nAccepted']);
		expect(world.mailbox.mails).toHaveLength(1);
	},
);

it('keeps what the mail server refuses', async () => {
	await write(world, [{ key: 'a', headline: 'Accepted' }]);
	world.mailbox.refusing = true;
	expect((await toEmail.execute('Every minute')).status).toBe('error');
	world.mailbox.refusing = false;
	expect((await toEmail.execute('Every minute')).status).toBe('success');
	expect(world.mailbox.mails).toHaveLength(1);
});

it('takes nothing for told when the node of a channel is deactivated', async () => {
	const half = await world.editor.importWorkflow('tell-slack-and-email', { tell: slackChannel });
	await write(world, [{ key: 'a', headline: 'Accepted' }]);
	const execution = await half.execute('Every minute');
	expect(execution.error).toContain('"Tell Slack" is deactivated');
	expect(await tellSlack(world, toSlack)).toHaveLength(1);
});

it('tells all of what one message cannot hold', async () => {
	const rows = Array.from({ length: 300 }, (_, row) => ({
		key: `key ${row}`,
		headline: 'Please decide',
		facts: facts({ exchange: `ex_${row}_`, anchor: 'x'.repeat(1000) }),
	}));
	await write(world, rows);
	const messages = await tellSlack(world, toSlack);
	expect(messages.length).toBeGreaterThan(10);
	expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(4000);
	for (let row = 0; row < 300; row++) expect(messages.join('\n')).toContain(`"ex_${row}_"`);
	expect(await tellSlack(world, toSlack)).toEqual([]);
});

it('tells one thing that is longer than a message in several', async () => {
	const broken = Array.from({ length: 100 }, (_, link) => [`link ${link}:`, 'y'.repeat(200)]);
	await write(world, [
		{ key: 'r', headline: 'Report', layout: 'list', facts: JSON.stringify(broken) },
	]);
	const messages = await tellSlack(world, toSlack);
	expect(messages.length).toBeGreaterThan(3);
	expect(messages.join('\n')).toContain('link 99:');
});

it('tells the same news of two runs at once only once', async () => {
	await write(world, [
		{ key: 'same', headline: 'Please decide' },
		{ key: 'same', headline: 'Please decide' },
	]);
	expect(await tellSlack(world, toSlack)).toEqual(['A workflow\nPlease decide']);
	await write(world, [{ key: 'same', headline: 'Please decide' }]);
	expect(await tellSlack(world, toSlack)).toEqual([]);
	expect(news(world).map(({ state }) => state)).toEqual(['told', 'told', 'told']);
});

it('tells once when two runs meet', async () => {
	await write(world, [{ key: 'a', headline: 'Accepted' }]);
	const second = toSlack.executions().length + 1;
	await Promise.all([toSlack.execute('Every minute'), toSlack.execute('Every minute')]);
	await toSlack.finished(second);
	expect(world.slack.messages).toHaveLength(1);
});

it('lets nobody ping, format, add a line or pretend to be somebody else', async () => {
	const hostile = [
		'<!channel> <@U1> <https://evil.example|here>',
		'nice", credits left: 1000. "\nAccepted: exchange "ex_9"',
		'a\u2028b\u2029c\u0085d\re\u0000f\u202Eg\u200Bh',
		':white_check_mark: *bold* _x_ `code`',
		'x'.repeat(100_000),
	];
	await write(
		world,
		hostile.map((anchor, row) => ({
			key: `k${row}`,
			headline: 'Accepted',
			facts: facts({ anchor }),
		})),
	);
	const [text = ''] = await tellSlack(world, toSlack);
	const lines = text.split('\n');
	expect(lines).toHaveLength(hostile.length + 1);
	expect(lines[1]).toBe(
		'Accepted: anchor "&lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.example|here&gt;"',
	);
	// All of it stays between the two quotation marks that are ours.
	for (const line of lines.slice(1)) expect(line.split('"')).toHaveLength(3);
	expect(lines[3]).toBe('Accepted: anchor "a b c d e f g h"');
	expect(lines[4]).not.toContain(':white_check_mark:');
	expect(text.length).toBeLessThan(3000);
	expect(world.slack.messages[0]).toMatchObject({ mrkdwn: false, link_names: false });
});

it('tells where the workflow wants it', async () => {
	await write(world, [
		{ key: 'a', headline: 'Alert', tell: '#alerts' },
		{ key: 'b', headline: 'Report', tell: 'boss@company.example, me@company.example' },
	]);
	await toBoth.execute('Every minute');
	expect(world.slack.messages.map(({ channel, text }) => [channel, text])).toEqual([
		['#alerts', 'A workflow\nAlert'],
	]);
	expect(world.mailbox.mails).toHaveLength(1);
	expect(world.mailbox.mails[0]).toContain('To: boss@company.example, me@company.example');
});
