/** Client for the form of the workflow "Bulk add sites", like a browser. */
import { expect } from 'vitest';

import type { Execution } from '../../../sandbox/start/n8n/messages.mts';
import type { Imported } from './editor.mts';
import { formLogin } from './environment.mts';

const { user, password } = formLogin;
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/**
 * Pastes sites into the form.
 *
 * @returns the lines of the result page
 */
export async function paste(workflow: Imported, sites: string): Promise<string[]> {
	const { execution, lastPage } = await send(workflow, sites);
	expect(execution).toMatchObject({ status: 'waiting' });
	return await getLines(lastPage);
}

/**
 * Submits the form with this text, and waits until the execution is done or waits for a visit to
 * its result page.
 */
async function send(
	workflow: Imported,
	sites: string,
): Promise<{ execution: Execution; lastPage: string }> {
	// A workflow that was just published isn't available immediately.
	await expect
		.poll(async () => (await fetch(workflow.form())).status, { timeout: 20_000 })
		.toBe(401);
	const before = workflow.executions().length;
	const body = new FormData();
	body.append('field-0', sites);
	const headers = { authorization };
	const answer = await fetch(workflow.form(), { method: 'POST', headers, body });
	const { formWaitingUrl } = (await answer.json()) as { formWaitingUrl: string };
	return { execution: await workflow.finished(before), lastPage: formWaitingUrl };
}

/** Returns the lines of the result page. */
async function getLines(lastPage: string): Promise<string[]> {
	const page = await (await fetch(lastPage, { headers: { authorization } })).text();
	const [, message = ''] = /<p(?: style="white-space: pre-line;")?>([^]*?)<\/p>/.exec(page) ?? [];
	return message
		.split(/<br ?\/?>/)
		.map((line) => line.trim().replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}
