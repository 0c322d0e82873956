/** A local slack.com with which n8n uses Slack's real Web API. */
import { startInterceptor } from '../interceptor.mts';

/** A message as n8n posted it (https://docs.slack.dev/reference/methods/chat.postMessage). */
export interface SlackMessage {
	channel: string;
	text: string;
	blocks?: unknown[];
	/** ID that Slack assigned. */
	ts: string;
}

export interface Slack {
	messages: SlackMessage[];
	/**
	 * `down`: responds 503; `refusing`: 200 with `ok: false`, as Slack does for an unknown channel.
	 */
	state: 'up' | 'down' | 'refusing';
	/** Environment variables of an n8n that uses this Slack. */
	environment: Record<string, string>;
	close(): Promise<void>;
}

export async function startSlack(): Promise<Slack> {
	const { server, environment, close } = await startInterceptor();
	const slack: Slack = { messages: [], state: 'up', environment, close };
	// The entries of the channel picker in n8n's Slack node.
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
