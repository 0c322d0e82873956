/** A person in Slack who answers what n8n's send-and-wait asks. */
import { expect } from 'vitest';

import type { Slack } from './slack.mts';

interface Button {
	text: { text: string };
	url: string;
}

/** A click on a button of the latest message: Slack opens its address in a browser. */
export async function clickButton(slack: Slack, label: string): Promise<void> {
	const address = addressOf(slack, label);
	const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' };
	// 409: n8n has sent the message and is about to wait for the answer; nobody clicks that fast.
	await expect
		.poll(async () => (await fetch(address, { headers })).status, { timeout: 20_000 })
		.toBe(200);
}

/** The address behind a button of the latest message that has some. */
function addressOf(slack: Slack, label: string): string {
	const question = slack.messages.findLast(({ blocks }) => blocks !== undefined);
	const buttons = (question?.blocks ?? []).flatMap(
		(block) => (block as { elements?: Button[] }).elements ?? [],
	);
	const url = buttons.find(({ text }) => text.text === label)?.url;
	if (url === undefined) throw new Error(`There is no button ${label}.`);
	return url;
}
