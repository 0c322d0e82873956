/**
 * Everything that a ready-made workflow uses: n8n, the sandbox, Slack and a mailbox, all real and
 * on loopback.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, beforeEach, vi } from 'vitest';

import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/sandbox.mts';
import { getLogTail } from '../../../sandbox/start/n8n/process.mts';
import { Clock } from '../clock.mts';
import { type HostRoutes, startMockedHosts } from '../mockedHosts.mts';
import { RealN8n } from '../realN8n.mts';
import { Editor } from './editor.mts';
import { type Mailbox, startMailbox } from './mailbox.mts';
import { Slack } from './slack.mts';

export const webhookSecret = 'the webhook secret';
const slackToken = 'xoxb-for-this-test';
/** The secret with which Slack signs clicks on buttons. */
export const slackSigningSecret = 'the signing secret';
/** Login of the form of "Bulk add sites". */
export const formLogin = { user: 'me', password: 'a password' };

export interface TestEnvironment {
	n8n: RealN8n;
	editor: Editor;
	sandbox: Sandbox;
	slack: Slack;
	mailbox: Mailbox;
	/** The clock of n8n. */
	clock: Clock;
	/**
	 * Resets everything: no simulated failure, the first API variant, 100 credits, no pending offer,
	 * no sent message.
	 */
	reset(): void;
	/**
	 * Waits until the service has received this many requests, such as those of polls, since the
	 * start of `act`, and then no more.
	 */
	asked(times?: number, act?: () => Promise<void>): Promise<void>;
	/** Kills n8n (-9) and starts it again. */
	restart(): Promise<void>;
	close(): Promise<void>;
}

/**
 * Starts the environment before the tests of a file, and resets it before each of them.
 *
 * @param options.hosts further hosts of the internet that the test plays for n8n
 */
export function useWorld({
	isReset = true,
	hosts = {},
}: { isReset?: boolean; hosts?: Record<string, HostRoutes> } = {}): TestEnvironment {
	const world = {} as TestEnvironment;
	beforeAll(async () => {
		const options = { credits: 100, limits: { perMinute: 100_000 } };
		Object.assign(world, await startWorld(options, {}, hosts));
	});
	beforeEach(({ onTestFailed }) => {
		if (isReset) world.reset();
		onTestFailed(() => {
			console.error(`The last lines of n8n's log:\n${getLogTail(world.n8n.logFile)}`);
		});
	});
	afterAll(async () => {
		await world.close();
	});
	return world;
}

/**
 * Starts everything, with a credential for each service in n8n.
 *
 * @param settings further environment variables of n8n
 * @param hosts further hosts of the internet that the test plays for n8n
 */
export async function startWorld(
	options: SandboxOptions = {},
	settings: Record<string, string> = {},
	hosts: Record<string, HostRoutes> = {},
): Promise<TestEnvironment> {
	const sandbox = await startSandbox(options);
	const dialect = sandbox.settings.dialect;
	const slack = new Slack();
	const mockedHosts = await startMockedHosts({
		'slack.com': (routes) => {
			slack.addRoutes(routes);
		},
		...hosts,
	});
	const mailbox = await startMailbox();
	const clock = new Clock();
	const n8n = await RealN8n.prepare({
		...mockedHosts.environment,
		...clock.environment,
		NODE_OPTIONS: `${mockedHosts.environment.NODE_OPTIONS} ${clock.environment.NODE_OPTIONS}`,
		...settings,
	});
	await n8n.start();
	const editor = await Editor.open(n8n);
	const { baseUrl, apiKey } = sandbox;
	await editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey, webhookSecret });
	await editor.addCredential('slackApi', {
		accessToken: slackToken,
		signatureSecret: slackSigningSecret,
	});
	await editor.addCredential('smtp', mailbox.credential);
	await editor.addCredential('httpBasicAuth', formLogin);
	return {
		n8n,
		editor,
		sandbox,
		slack,
		mailbox,
		clock,
		reset: () => {
			sandbox.clearFaults();
			sandbox.change({ dialect });
			sandbox.setCredits(1000);
			for (const { id } of sandbox.books.exchanges('pending', 'incoming')) sandbox.accept(id);
			sandbox.setCredits(100);
			slack.state = 'up';
			slack.messages.length = 0;
			mailbox.isRejecting = false;
			mailbox.mails.length = 0;
		},
		asked: async (times = 1, act) => {
			const requests = () => sandbox.books.requests().length;
			const expectedCount = requests() + times;
			await act?.();
			await vi.waitUntil(() => requests() >= expectedCount, { timeout: 180_000 });
			// A poll may send several requests: its first results may contain what happens between them.
			for (let before = -1; before !== requests();) {
				before = requests();
				await sleep(500);
			}
		},
		restart: async () => {
			await n8n.kill();
			await n8n.start();
			await editor.logIn();
		},
		close: async () => {
			await n8n.remove();
			await mailbox.close();
			await mockedHosts.close();
			await sandbox.close();
			clock.close();
		},
	};
}
