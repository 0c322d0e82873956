/** slack.com, with which n8n uses Slack's real Web API. */
import type { FastifyInstance } from 'fastify';

/** A message as n8n posted it (https://docs.slack.dev/reference/methods/chat.postMessage). */
export interface SlackMessage {
	channel: string;
	text: string;
	blocks?: unknown[];
	/** ID that Slack assigned. */
	ts: string;
}

export class Slack {
	readonly messages: SlackMessage[] = [];

	/**
	 * `down`: responds 503; `refusing`: 200 with `ok: false`, as Slack does for an unknown channel.
	 */
	state: 'up' | 'down' | 'refusing' = 'up';

	/** Adds the routes of the host slack.com. */
	addRoutes(routes: FastifyInstance): void {
		// The entries of the channel picker in n8n's Slack node.
		routes.get('/api/conversations.list', () => ({
			ok: true,
			channels: [{ id: 'C0LINKS', name: 'link-exchange' }],
			response_metadata: { next_cursor: '' },
		}));
		routes.post<{ Body: Omit<SlackMessage, 'ts'> }>('/api/chat.postMessage', (request, reply) => {
			if (this.state === 'down') return reply.code(503).send('Service Unavailable');
			if (this.state === 'refusing') return { ok: false, error: 'channel_not_found' };
			const ts = `1700000000.${String(this.messages.length).padStart(6, '0')}`;
			this.messages.push({ ...request.body, ts });
			return { ok: true, channel: request.body.channel, ts, message: request.body };
		});
	}
}
