/** The form of the workflow "Bulk add sites", as a browser uses it. */
import { expect } from 'vitest';

import type { Execution } from '../../../sandbox/start/n8n/messages.mts';
import type { Imported } from './editor.mts';
import { formLogin } from './environment.mts';

const { user, password } = formLogin;
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Pastes sites into the form, and returns the lines of the page that follows, as text. */
export async function paste(workflow: Imported, sites: string): Promise<string[]> {
	const { execution, lastPage } = await send(workflow, sites);
	expect(execution).toMatchObject({ status: 'waiting' });
	return await getLines(lastPage);
}

/** Sends the form with this text, and waits until the execution is done or waits for somebody who opens its last page. */
async function send(
	workflow: Imported,
	sites: string,
): Promise<{ execution: Execution; lastPage: string }> {
	// A workflow that was published just now is not there at once.
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

/** The lines of the last page, as text. */
async function getLines(lastPage: string): Promise<string[]> {
	const page = await (await fetch(lastPage, { headers: { authorization } })).text();
	const [, message = ''] = /<p(?: style="white-space: pre-line;")?>([^]*?)<\/p>/.exec(page) ?? [];
	return message
		.split(/<br ?\/?>/)
		.map((line) => line.trim().replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}
