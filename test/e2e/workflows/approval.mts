/** Simulates a user who answers n8n's send-and-wait messages, in Slack or by email. */
import { createHmac } from 'node:crypto';

import { expect } from 'vitest';

import { slackSigningSecret } from './environment.mts';
import { getBody } from './mailbox.mts';
import type { Slack } from './slack.mts';

interface Button {
	text: { text: string };
	url: string;
	action_id?: string;
	value?: string;
}

/** n8n gives an empty response to robots that preview links. */
export const browserHeaders = {
	'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0',
};

/** Clicks a button of the latest message: Slack opens its URL in a browser. */
export async function clickButton(slack: Slack, label: string): Promise<void> {
	const address = questionAddresses(slack, label).at(-1);
	if (address === undefined) throw new Error(`There is no button ${label}.`);
	await openAddress(address);
}

/**
 * Clicks a button of the latest message whose node captures who responded: Slack sends the click to
 * the request URL of the app, with the user and a signature.
 *
 * @param user the display name
 * @returns the status of n8n's response
 */
export async function clickAs(
	user: string,
	slack: Slack,
	label: string,
	{ origin, secret = slackSigningSecret }: { origin: string; secret?: string },
): Promise<number> {
	const { blocks = [], channel, ts } = slack.messages.at(-1) ?? {};
	const button = getButtons(blocks).find(({ text }) => text.text === label);
	const payload = {
		type: 'block_actions',
		user: { id: 'U0ADA', name: user, username: user },
		channel: { id: channel },
		message: { ts, blocks },
		actions: [{ action_id: button?.action_id, value: button?.value }],
	};
	const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
	const timestamp = String(Math.floor(Date.now() / 1000));
	const hash = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
	const response = await fetch(`${origin}/webhook-waiting-slack`, {
		method: 'POST',
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			'x-slack-request-timestamp': timestamp,
			'x-slack-signature': `v0=${hash}`,
		},
		body,
	});
	return response.status;
}

/** Clicks a button in an email that asks for an approval. */
export async function clickInEmail(mail: string | undefined, label: string): Promise<void> {
	const links = getBody(mail).matchAll(/<a[^>]*href="([^"]+)"[^>]*>([^<]*)/g);
	const link = [...links].find(([, , text]) => text?.trim() === label)?.[1];
	if (link === undefined) throw new Error(`There is no button ${label} in the email.`);
	await openAddress(link.replaceAll('&amp;', '&'));
}

/** Opens the link in an email, which leads to a page with a form; `send` submits it. */
export async function decideByEmail(
	mail: string | undefined,
): Promise<{ page: string; send: (decision: string) => Promise<void> }> {
	const [, link = ''] = /href="([^"]+)"/.exec(getBody(mail)) ?? [];
	const address = link.replaceAll('&amp;', '&');
	const page = await openAddress(address);
	return {
		page,
		send: async (decision) => {
			const body = new FormData();
			body.append('field-0', decision);
			const answer = await fetch(address, { method: 'POST', headers: browserHeaders, body });
			expect(answer.status).toBe(200);
		},
	};
}

/** Returns the URLs of the buttons with this label, oldest first. */
export function questionAddresses(slack: Slack, label: string): string[] {
	const blocks = slack.messages.flatMap((message) => message.blocks ?? []);
	return getButtons(blocks)
		.filter(({ text }) => text.text === label)
		.map(({ url }) => url);
}

function getButtons(blocks: unknown[]): Button[] {
	return blocks.flatMap((block) => (block as { elements?: Button[] }).elements ?? []);
}

/** Opens the URL in a browser, as soon as n8n waits for it. */
async function openAddress(address = ''): Promise<string> {
	let page = '';
	// 409: n8n has sent the message and is about to wait for the response; no user clicks that fast.
	await expect
		.poll(
			async () => {
				const answer = await fetch(address, { headers: browserHeaders });
				page = await answer.text();
				return answer.status;
			},
			{ timeout: 20_000 },
		)
		.toBe(200);
	return page;
}
