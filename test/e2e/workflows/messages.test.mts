/**
 * Messages to users: one per poll, and one per event only if each has its own execution; with 1, 9
 * and 50 events.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
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

function offer(): string {
	return world.sandbox.requestOffer({ fromSite: 'https://partner.example', anchor: 'tea', cost: 1 })
		.id;
}

function alerts(count: number, severity: string): void {
	const exchangeId = offer();
	world.sandbox.accept(exchangeId);
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
 * Counts the items in a digest, which has at most 30 lines and 3,500 characters. Its last line
 * counts the rest.
 */
function countItems(text: string): number {
	const lines = text.split('\n');
	expect(lines.length).toBeLessThanOrEqual(30);
	expect(text.length).toBeLessThanOrEqual(3500);
	const [, more] = /^- and (\d+) more$/.exec(lines.at(-1) ?? '') ?? [];
	return more === undefined ? lines.length : lines.length - 1 + Number(more);
}

describe('polling', () => {
	beforeAll(async () => {
		const publish = async (name: string, ...rest: [changes: object, switched?: object]) => {
			const [changes, switched] = rest;
			const workflow = await world.editor.importWorkflow(
				name,
				changes as Record<string, object>,
				switched,
			);
			// The first poll records the current state: earlier events don't count.
			await world.asked(name === 'watchdog-routing' ? 2 : 1, () => workflow.publish());
			published[name] = workflow;
		};
		await publish('watchdog-alert', {}, byEmail);
		await publish('watchdog-routing', {
			'Send to Slack': toChannel('C0CRITICAL'),
			'Other alerts each morning': {
				pollTimes: everyMinute,
				events: ['watchdog.alert'],
				filters: { excludedSeverities: 'critical' },
				options: { outputFormat: 'digest', retryFailedExecutions: true },
			},
		});
		await publish('exchange-news', { 'Send to Slack': toChannel('C0NEWS') });
	}, 10 * minute);

	it.each([1, 9, 50])(
		'%i warnings: Watchdog alert sends an email each, Watchdog routing one digest',
		async (count) => {
			alerts(count, 'warning');
			// Exchange news reports the exchange.
			await waitForMessages(count + 2);
			const digests = mails().filter(({ subject }) => /^\d/.test(subject));
			expect(digests).toHaveLength(1);
			expect(digests[0]?.subject).toMatch(new RegExp(`^${count} `));
			expect(countItems(digests[0]?.text ?? '')).toBe(count);
			const single = mails().filter(({ subject }) => subject.startsWith('New alert'));
			expect(single).toHaveLength(count);
		},
		10 * minute,
	);

	it.each([1, 9, 50])(
		'%i accepted offers: Exchange news sends one message',
		async (count) => {
			for (let each = 0; each < count; each++) world.sandbox.accept(offer());
			await waitForMessages(1);
			expect(countItems(shown('C0NEWS')[0] ?? '')).toBe(count);
		},
		10 * minute,
	);

	it(
		'nine emails each arrive once if the server accepts four in twenty seconds',
		async () => {
			world.mailbox.maxPerTwentySeconds = 4;
			alerts(9, 'critical');
			// Nine emails, nine messages about critical alerts, one about exchanges.
			await waitForMessages(19);
			const texts = mails().map(({ text }) => text);
			expect(new Set(texts).size).toBe(9);
		},
		10 * minute,
	);

	it(
		'each message arrives later, once, if Slack and the mail server are down for ten minutes',
		async () => {
			world.slack.state = 'down';
			world.mailbox.isRejecting = true;
			alerts(1, 'critical');
			alerts(1, 'warning');
			const failed = (name: string) =>
				published[name]?.executions().filter(({ status }) => status === 'error').length ?? 0;
			for (const name of Object.keys(published)) {
				await expect
					.poll(() => failed(name), { timeout: 4 * minute, interval: 500 })
					.toBeGreaterThan(0);
			}
			expect(world.slack.messages).toEqual([]);
			world.slack.state = 'up';
			world.mailbox.isRejecting = false;
			await world.clock.pass(10 * minute);
			// Two emails about alerts, a digest, a critical alert, and the news of one poll or two.
			await expect
				.poll(() => shown('C0NEWS').length, { timeout: 4 * minute, interval: 500 })
				.toBeGreaterThan(0);
			await expect.poll(() => mails().length, { timeout: 4 * minute, interval: 500 }).toBe(3);
			await expect
				.poll(() => shown('C0CRITICAL'), { timeout: 4 * minute, interval: 500 })
				.toEqual([expect.stringMatching(/^New alert \(critical, link removed\)/)]);
			await world.asked(2);
			expect(mails()).toHaveLength(3);
			expect(shown('C0CRITICAL')).toHaveLength(1);
		},
		15 * minute,
	);

	it('no text of a partner acts as markup in Slack or in an email', async () => {
		const hostile =
			'<!channel> <https://evil.example|your bank> <b>x</b>\n@here Essen & Trinken “100 °C”';
		const exchangeId = offer();
		world.sandbox.accept(exchangeId);
		world.sandbox.alert({ exchangeId, severity: 'critical', type: 'note', detail: hostile });
		await expect.poll(() => shown('C0CRITICAL').length, { timeout: 3 * minute }).toBe(1);
		await expect.poll(() => mails().length, { timeout: 3 * minute }).toBe(1);
		for (const text of [shown('C0CRITICAL')[0] ?? '', mails()[0]?.text ?? '']) {
			expect(text).not.toMatch(/[<>\n]/);
			expect(text).toContain('Essen & Trinken');
		}
	}, 300_000);
});

describe('on a schedule', () => {
	it('Weekly report sends the totals and each site in one message', async () => {
		alerts(1, 'critical');
		const workflow = await world.editor.importWorkflow('weekly-report');
		expect(await workflow.execute('Every Monday')).toMatchObject({ status: 'success' });
		expect(world.slack.messages).toHaveLength(1);
		expect(world.slack.messages[0]?.text).toContain('7 days');
	});

	it('Notify failures reports which workflow failed, where and why', async () => {
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
