import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The production URL of a workflow's webhook, read from n8n's database, because there it is what n8n really listens on.
 * n8n activates its workflows shortly after it is up, so this waits for some seconds.
 *
 * @returns undefined when the workflow is not published (any more)
 */
export async function findWebhookUrl(
	userFolder: string,
	origin: string,
	workflowId: string,
	signal: AbortSignal,
): Promise<string | undefined> {
	const file = join(userFolder, '.n8n', 'database.sqlite');
	const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
	try {
		for (let attempt = 0; attempt < 100; attempt++) {
			const path = registeredPath(database, workflowId);
			// The database may still have it from n8n's last run; the trigger answers GET once it really listens.
			if (path !== undefined && (await answers(`${origin}/webhook/${path}`, signal))) {
				return `${origin}/webhook/${path}`;
			}
			await sleep(200, undefined, { signal });
		}
		return undefined;
	} finally {
		database.close();
	}
}

/** The path under /webhook/ that n8n has given to a workflow's POST webhook; undefined before it is activated. */
function registeredPath(database: DatabaseSync, workflowId: string): string | undefined {
	const row = database
		.prepare("SELECT webhookPath FROM webhook_entity WHERE workflowId = ? AND method = 'POST'")
		.get(workflowId);
	return typeof row?.webhookPath === 'string' ? row.webhookPath : undefined;
}

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
	const response = await fetch(url, { signal });
	await response.body?.cancel();
	return response.ok;
}
