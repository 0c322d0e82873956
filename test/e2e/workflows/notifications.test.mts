/** The workflows that a poll starts: what they send, also when Slack and the mail server are away for ten minutes. */
import { beforeAll, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { bodyOf } from './mailbox.mts';
import { useWorld } from './world.mts';

const world = useWorld({ isReset: false });
const published: Record<string, Imported> = {};

const minute = 60_000;
const everyMinute = { pollTimes: { item: [{ mode: 'everyMinute' }] } };
const digest = 'Other alerts each morning';
/** With parameters that a user may have changed: a channel for each workflow, and a digest each minute. */
const changes: Record<string, Record<string, object>> = {
	'watchdog-alert': { 'Send to Slack': toChannel('C0ALERT') },
	'watchdog-routing': {
		'Send to Slack': toChannel('C0CRITICAL'),
		[digest]: {
			...everyMinute,
			events: ['watchdog.alert'],
			output: 'digest',
			filters: { severities: 'critical', severitiesMode: 'allBut' },
		},
	},
	'low-credits': { 'Send to Slack': toChannel('C0CREDITS') },
	'exchange-news': { 'Send to Slack': toChannel('C0NEWS') },
};

function toChannel(value: string): object {
	return { channelId: { __rl: true, mode: 'id', value } };
}

/** What Slack has shown in a channel, in order. */
function shown(channel: string): string[] {
	return world.slack.messages.filter((each) => each.channel === channel).map(({ text }) => text);
}

beforeAll(async () => {
	// Alerts are about an exchange.
	world.sandbox.accept(world.sandbox.requestOffer().id);
	for (const [name, parameters] of Object.entries(changes)) {
		const workflow = await world.editor.importWorkflow(name, parameters);
		// The first poll takes note of what is there: events before it are none.
		const triggers = name === 'watchdog-routing' ? 2 : 1;
		await world.asked(triggers, () => workflow.publish());
		published[name] = workflow;
	}
});

it('sends later what Slack and the mail server refused for ten minutes, each once', async () => {
	world.slack.state = 'down';
	world.mailbox.refusing = true;
	world.sandbox.alert({ severity: 'critical', type: 'link_removed', detail: 'gone' });
	world.sandbox.alert({ severity: 'warning', type: 'nofollow', detail: 'changed' });
	world.sandbox.accept(world.sandbox.requestOffer({ fromSite: 'https://partner.example' }).id);
	world.sandbox.setCredits(20);
	const failed = (name: string) =>
		published[name]?.executions().filter(({ status }) => status === 'error').length ?? 0;
	for (const [name, count] of [
		['watchdog-alert', 2],
		['watchdog-routing', 2],
		['low-credits', 1],
		['exchange-news', 1],
	] as const) {
		// What is found first may have been tried a second time before the balance is asked again.
		await expect
			.poll(() => failed(name), { timeout: 4 * minute, interval: 500 })
			.toBeGreaterThanOrEqual(count);
	}
	expect(world.slack.messages).toEqual([]);

	world.slack.state = 'up';
	world.mailbox.refusing = false;
	await world.clock.forward(10 * minute);
	await expect
		.poll(() => world.slack.messages.length + world.mailbox.mails.length, {
			timeout: 3 * minute,
			interval: 500,
		})
		.toBe(6);
	expect({
		alerts: shown('C0ALERT').sort(),
		critical: shown('C0CRITICAL'),
		credits: shown('C0CREDITS'),
		news: shown('C0NEWS'),
		mails: world.mailbox.mails.map(bodyOf),
	}).toEqual({
		alerts: [
			expect.stringMatching(/^Link removed \(critical\): the link .*is gone, .*detail "gone"$/),
			expect.stringMatching(
				/^Nofollow \(warning\): the link .*is marked nofollow, .*detail "changed"$/,
			),
		],
		critical: [expect.stringContaining('(critical)')],
		credits: ['Credits are low: 20 left, below 50'],
		news: [expect.stringMatching(/^Exchange accepted: partner/)],
		mails: [expect.stringContaining('Nofollow (warning)')],
	});
}, 600_000);

it('sends a message within a minute on a good day, whatever a partner wrote, and no other', async () => {
	world.slack.messages.length = 0;
	world.mailbox.mails.length = 0;
	const before = world.n8n.executions.length;
	const hostile =
		'<!channel> *urgent* <https://evil.example|your bank> =HYPERLINK("x")\n@here &lt;';
	world.sandbox.alert({ severity: 'info', type: 'note', detail: hostile });
	await expect
		.poll(() => world.slack.messages.length + world.mailbox.mails.length, {
			timeout: 2 * minute,
			interval: 500,
		})
		.toBe(2);
	const texts = [...shown('C0ALERT'), bodyOf(world.mailbox.mails[0]).trim()];
	expect(texts).toHaveLength(2);
	for (const text of texts) {
		expect(text).toMatch(/^Note \(info\): /);
		expect(text).not.toMatch(/[<>&*@=\n]|https?:/);
	}
	const failed = world.n8n.executions.slice(before).filter(({ status }) => status === 'error');
	expect(failed).toEqual([]);
}, 300_000);
