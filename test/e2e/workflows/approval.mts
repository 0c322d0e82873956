/** Simulates a user who answers n8n's send-and-wait messages, in Slack or by email. */
import { expect } from 'vitest';

import { getBody } from './mailbox.mts';
import type { Slack } from './slack.mts';

interface Button {
	text: { text: string };
	url: string;
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
	const buttons = blocks.flatMap((block) => (block as { elements?: Button[] }).elements ?? []);
	return buttons.filter(({ text }) => text.text === label).map(({ url }) => url);
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
