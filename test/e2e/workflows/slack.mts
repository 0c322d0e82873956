/** slack.com, on loopback: n8n reaches it through its proxy settings, and speaks Slack's real Web API with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generateCACertificate, getLocal } from 'mockttp';

/** A message as n8n posted it (https://docs.slack.dev/reference/methods/chat.postMessage). */
export interface SlackMessage {
	channel: string;
	text: string;
	blocks?: unknown[];
	/** The id that Slack gave it. */
	ts: string;
}

export interface Slack {
	messages: SlackMessage[];
	/** `down`: answers 503; `refusing`: 200 with `ok: false`, as Slack does for a channel it does not know. */
	state: 'up' | 'down' | 'refusing';
	/** Environment variables of an n8n that is to reach this Slack. */
	environment: Record<string, string>;
	close(): Promise<void>;
}

export async function startSlack(): Promise<Slack> {
	const authority = await generateCACertificate();
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-slack-'));
	const certificate = join(folder, 'authority.pem');
	writeFileSync(certificate, authority.cert);
	const server = getLocal({ https: authority });
	await server.start();
	const slack: Slack = {
		messages: [],
		state: 'up',
		environment: {
			HTTPS_PROXY: server.url,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificate,
		},
		close: async () => {
			await server.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
	// What the channel picker of n8n's Slack node lists.
	await server.forGet('https://slack.com/api/conversations.list').thenJson(200, {
		ok: true,
		channels: [{ id: 'C0LINKS', name: 'link-exchange' }],
		response_metadata: { next_cursor: '' },
	});
	await server.forPost('https://slack.com/api/chat.postMessage').thenCallback(async (request) => {
		if (slack.state === 'down') return { statusCode: 503, body: 'Service Unavailable' };
		if (slack.state === 'refusing') {
			return { statusCode: 200, json: { ok: false, error: 'channel_not_found' } };
		}
		const body = (await request.body.getJson()) as Omit<SlackMessage, 'ts'>;
		const ts = `1700000000.${String(slack.messages.length).padStart(6, '0')}`;
		slack.messages.push({ ...body, ts });
		return { statusCode: 200, json: { ok: true, channel: body.channel, ts, message: body } };
	});
	return slack;
}
