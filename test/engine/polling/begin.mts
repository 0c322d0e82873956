/** What the tests of the polling trigger begin with. */
import { onTestFinished } from 'vitest';

import { type SandboxOptions, startSandbox } from '../../../sandbox/sandbox.mts';
import { Poller } from './poller.mts';

/** A sandbox that ends with the test, and a poller of it. */
export async function begin(options: SandboxOptions = {}, parameters = {}) {
	const sandbox = await startSandbox({ credits: 10_000, ...options });
	onTestFinished(async () => {
		await sandbox.close();
	});
	const poller = new Poller({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }, parameters);
	return { sandbox, poller };
}

export function keys(items: Array<Record<string, unknown>>): string[] {
	return items.map(({ eventKey }) => String(eventKey));
}

export function names(items: Array<Record<string, unknown>>): string[] {
	return items.map(({ event }) => String(event));
}
