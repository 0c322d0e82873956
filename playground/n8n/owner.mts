import { InstallationError } from '../../scripts/installation.mjs';
import type { Secrets } from './secrets.mts';

/**
 * Makes the owner of an n8n that does not take it from environment variables, as its first visitor does in the browser.
 * An owner that is there already stays.
 *
 * @param origin the address of an n8n that is up
 */
export async function setUpOwner(origin: string, { email, password }: Secrets): Promise<void> {
	const state = await fetch(`${origin}/rest/settings`);
	const { data } = (await state.json()) as {
		data: { userManagement: { showSetupOnFirstLoad: boolean } };
	};
	if (!data.userManagement.showSetupOnFirstLoad) return;
	const answer = await fetch(`${origin}/rest/owner/setup`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ email, password, firstName: 'Playground', lastName: 'Owner' }),
	});
	if (answer.ok) return;
	throw new InstallationError(
		`n8n does not take the playground's owner account (${answer.status}): ${await answer.text()}`,
	);
}
