/** Messages to users: one per poll, with 1, 9 and 50 events. */
import { beforeAll, describe, expect, test } from 'vitest';

import { readWorkflow } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { type Imported } from './editor.mts';
import { useWorld } from './environment.mts';
import { getBody, getSubject } from './mailbox.mts';

const world = useWorld();
const published: Record<string, Imported> = {};

const minute = 60_000;
const byEmail = { activate: ['Send by email'], deactivate: ['Send to Slack'] };
const everyMinute = { item: [{ mode: 'everyMinute' }] };

/** Returns the Slack messages of a channel, in order. */
const shown = (channel: string) =>
	world.slack.messages.filter((each) => each.channel === channel).map(({ text }) => text);
const toChannel = (value: string) => ({ channelId: { __rl: true, mode: 'id', value } });
/** Returns subject and text of each email, in order of arrival. */
const mails = () =>
	world.mailbox.mails.map((mail) => ({ subject: getSubject(mail), text: getBody(mail).trim() }));

function acceptedOffer(): string {
	const offer = { fromSite: 'https://partner.example', anchor: 'tea', cost: 1 };
	const { id } = world.sandbox.requestOffer(offer);
	world.sandbox.accept(id);
	return id;
}

/** The exchange of all alerts. It exists before News is published, so News doesn't report it. */
let exchangeId = '';

function raiseAlerts(count: number, severity: string): void {
	for (let each = 0; each < count; each++) {
		world.sandbox.alert({ exchangeId, severity, type: 'link_removed', detail: `check ${each}` });
	}
}

/** Waits until this many messages and emails have arrived, and for one more poll. */
async function waitForMessages(count: number): Promise<void> {
	const countMessages = () => world.slack.messages.length + world.mailbox.mails.length;
	await expect
		.poll(countMessages, { timeout: 5 * minute, interval: 500 })
		.toBeGreaterThanOrEqual(count);
	await world.asked();
	expect(countMessages()).toBe(count);
}

/**
 * Counts the items in a digest, which has at most 3,500 characters, and ten lines of each kind. A
 * line after them counts the others.
 */
function countItems(text: string): number {
	const lines = text.split('\n');
	expect(lines.length).toBeLessThanOrEqual(30);
	expect(text.length).toBeLessThanOrEqual(3500);
	// A digest of a single item is the message of that item.
	if (lines.length === 1) return 1;
	const items = lines.filter((line) => line.startsWith('- '));
	const counts = items.map((item) => Number(/^- (?:and )?(\d+) /.exec(item)?.[1] ?? 1));
	return counts.reduce((one, other) => one + other, 0);
}

describe('polling', () => {
	beforeAll(async () => {
		exchangeId = acceptedOffer();
		const publish = async (name: string, triggers: number, workflow: Imported) => {
			// The first poll records the current state: earlier events don't count.
			await world.asked(triggers, () => workflow.publish());
			published[name] = workflow;
		};
		const { nodes } = readWorkflow('watchdog-alerts');
		const daily = nodes.find(({ name }) => name === 'Other alerts each morning');
		const alerts = await world.editor.importWorkflow(
			'watchdog-alerts',
			{ 'Other alerts each morning': { ...daily?.parameters, pollTimes: everyMinute } },
			byEmail,
		);
		await publish('watchdog-alerts', 2, alerts);
		const toNews = { 'Send to Slack': toChannel('C0NEWS') };
		await publish('news', 3, await world.editor.importWorkflow('news', toNews));
	}, 10 * minute);

	test.each([1, 9, 50])(
		'%i alerts that can wait, and as many accepted offers, are one email and one message',
		async (count) => {
			raiseAlerts(count, 'warning');
			for (let each = 0; each < count; each++) acceptedOffer();
			await waitForMessages(2);
			const subject = count === 1 ? /^New alert/ : new RegExp(`^${count} new alerts: `);
			expect(mails()).toMatchObject([{ subject: expect.stringMatching(subject) as unknown }]);
			expect(countItems(mails()[0]?.text ?? '')).toBe(count);
			// Each offer is new and accepted.
			expect(countItems(shown('C0NEWS')[0] ?? '')).toBe(2 * count);
		},
		10 * minute,
	);

	test(
		'each message arrives once when failed executions are retried, after Slack and the mail server were down',
		async () => {
			world.slack.state = 'down';
			world.mailbox.isRejecting = true;
			raiseAlerts(1, 'critical');
			raiseAlerts(1, 'warning');
			acceptedOffer();
			const failed = (name: string) =>
				published[name]?.executions().filter(({ status }) => status === 'error').length ?? 0;
			const countFailed = () => [failed('watchdog-alerts'), failed('news')];
			await expect
				.poll(countFailed, { timeout: 4 * minute, interval: 500 })
				.toEqual([2, expect.any(Number)]);
			await expect.poll(() => failed('news'), { timeout: minute }).toBeGreaterThan(0);
			expect([...world.slack.messages, ...mails()]).toEqual([]);
			world.slack.state = 'up';
			world.mailbox.isRejecting = false;
			for (const workflow of Object.values(published)) await workflow.retryFailed();
			await waitForMessages(3);
			expect(mails()).toHaveLength(2);
			expect(shown('C0NEWS')).toEqual([expect.stringContaining('- Offer accepted: ')]);
		},
		15 * minute,
	);

	test('News reports low credits once', async () => {
		world.sandbox.setCredits(10);
		await world.clock.pass(16 * minute);
		await waitForMessages(1);
		expect(shown('C0NEWS')).toEqual([expect.stringMatching(/^Low credits: your balance is 10 /)]);
	}, 300_000);
});

describe('on a schedule', () => {
	test('Weekly report sends the totals and each site in one message', async () => {
		exchangeId = acceptedOffer();
		raiseAlerts(1, 'critical');
		const workflow = await world.editor.importWorkflow('weekly-report');
		expect(await workflow.execute('Every Monday')).toMatchObject({ status: 'success' });
		expect(world.slack.messages).toHaveLength(1);
		expect(world.slack.messages[0]?.text).toContain('7 days');
	});

	test('Weekly report sends each of 1, 9 and 50 clients their report, and continues after a failure', async () => {
		const workflow = await world.editor.importWorkflow(
			'weekly-report',
			{},
			{ activate: ['Email client'], deactivate: ['Send to client'] },
		);
		// This creates the table.
		await workflow.execute('Every Monday');
		const [row] = world.n8n.query(
			"SELECT id FROM data_table WHERE name = 'Backlink Exchange clients'",
		);
		const table = String(row?.id);
		let added = 0;
		const addClients = async (count: number) => {
			const numbers = Array.from({ length: count }, () => ++added);
			for (const each of numbers) {
				const toSite = `https://client-${each}.example`;
				world.sandbox.addSite({ url: toSite, niche: 'tea' });
				world.sandbox.requestOffer({ fromSite: `https://for-${each}.example`, toSite });
			}
			const toRow = (each: number) => ({
				client: `Client ${each}`,
				sites: `client-${each}.example`,
				to: `client-${each}@mail.example`,
			});
			await world.editor.addRows(table, numbers.map(toRow));
		};
		const expectMails = () => {
			const subjects = Array.from(
				{ length: added },
				(_, index) => `Client ${index + 1}: Last 7 days for client-${index + 1}.example`,
			);
			const received = mails();
			expect(received.map(({ subject }) => subject.replace(/:[^:]*$/, ''))).toEqual(subjects);
			for (const [index, mail] of world.mailbox.mails.entries()) {
				expect(mail).toContain(`client-${index + 1}@mail.example`);
				const own = new RegExp(`client-${index + 1}(?!\\d)`, 'g');
				expect(getBody(mail).replaceAll(own, '')).not.toMatch(/client-\d/);
			}
			world.mailbox.mails.length = 0;
		};
		for (const total of [1, 9, 50]) {
			await addClients(total - added);
			expect(await workflow.execute('Every Monday')).toMatchObject({ status: 'success' });
			expectMails();
		}
		// A retry sends the reports that are left, and no other one again.
		await workflow.start('Every Monday');
		await expect
			.poll(() => mails().length, { timeout: minute, interval: 20 })
			.toBeGreaterThanOrEqual(3);
		world.mailbox.isRejecting = true;
		await expect.poll(() => workflow.status, { timeout: minute }).toBe('error');
		expect(mails().length).toBeLessThan(50);
		world.mailbox.isRejecting = false;
		await workflow.retryFailed();
		await expect.poll(() => workflow.status, { timeout: minute }).toBe('success');
		expectMails();
	}, 300_000);

	test('Notify failures reports which workflow failed, where and why', async () => {
		const withEmail = { activate: ['Send by email'] };
		const notify = await world.editor.importWorkflow('notify-failures', {}, withEmail);
		await notify.publish();
		const report = await world.editor.importWorkflow('weekly-report', {
			'Every Monday': { rule: { interval: [{ field: 'seconds', secondsInterval: 5 }] } },
		});
		const { nodes, connections } = await report.read();
		await report.change({ nodes, connections, settings: { errorWorkflow: notify.id } });
		world.sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: 1000 });
		await report.publish();
		await expect.poll(() => mails().length, { timeout: minute }).toBeGreaterThan(0);
		await report.unpublish();
		expect(mails()[0]?.subject).toBe('n8n: Weekly report failed');
		expect(mails()[0]?.text).toContain(`${world.n8n.origin}/workflow/${report.id}/executions/`);
	});
});
