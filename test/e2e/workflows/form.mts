/** Client for the form of the workflow "Bulk add sites", like a browser. */
import { expect } from 'vitest';

import type { Execution } from '../../../sandbox/start/n8n/messages.mts';
import type { Imported } from './editor.mts';
import { formLogin } from './environment.mts';

const { user, password } = formLogin;
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/**
 * Submits the form with these sites.
 *
 * @returns the title and the lines of the result page
 */
export async function paste(workflow: Imported, sites: string, niche = 'tea'): Promise<string[]> {
	const { execution, lastPage } = await send(workflow, [sites, niche]);
	expect(execution).toMatchObject({ status: 'waiting' });
	return await getLines(lastPage);
}

/**
 * Submits the form with the values of its fields, and waits until the execution is done or waits
 * for a visit to its result page.
 */
async function send(
	workflow: Imported,
	values: string[],
): Promise<{ execution: Execution; lastPage: string }> {
	// A workflow that was just published isn't available immediately.
	await expect
		.poll(async () => (await fetch(workflow.form())).status, { timeout: 20_000 })
		.toBe(401);
	const before = workflow.executions().length;
	const body = new FormData();
	for (const [index, value] of values.entries()) body.append(`field-${index}`, value);
	const headers = { authorization };
	const answer = await fetch(workflow.form(), { method: 'POST', headers, body });
	const { formWaitingUrl } = (await answer.json()) as { formWaitingUrl: string };
	return { execution: await workflow.finished(before), lastPage: formWaitingUrl };
}

/** Returns the title and the lines of the result page, without markup. */
async function getLines(lastPage: string): Promise<string[]> {
	const page = await (await fetch(lastPage, { headers: { authorization } })).text();
	const [, title = ''] = /<div class='header'>\s*<h1>(.*?)<\/h1>/.exec(page) ?? [];
	const [, message = ''] = /<p(?: style="white-space: pre-line;")?>([^]*?)<\/p>/.exec(page) ?? [];
	const lines = message.split('\n').map((line) => line.replace(/<\/?b>/g, '').trim());
	return [title, ...lines].map((line) =>
		line.replace(/&(\w+);/g, (_, name: string) => characters[name] ?? ''),
	);
}

const characters: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>' };
