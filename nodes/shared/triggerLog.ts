import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

/** For this many milliseconds the same is logged once, however often it happens. */
const usualQuiet = 60_000;
/** The most lines that are remembered. */
const mostRemembered = 1000;

const logged = new Map<string, { quietUntil: number; omitted: number }>();

/**
 * Writes a warning to n8n's log: at once the first time, then again when `quietFor` milliseconds are over, with the number
 * of those that it stands for.
 */
export function log(
	context: IHookFunctions | IPollFunctions | IWebhookFunctions,
	what: string,
	quietFor = usualQuiet,
): void {
	const source = `workflow ${context.getWorkflow().id ?? ''}, node "${context.getNode().name}"`;
	const key = `${source} ${what}`;
	const now = performance.now();
	const earlier = logged.get(key);
	if (earlier !== undefined && earlier.quietUntil > now) {
		earlier.omitted++;
		return;
	}
	if (logged.size >= mostRemembered) logged.clear();
	logged.set(key, { quietUntil: now + quietFor, omitted: 0 });
	const more = earlier?.omitted ? `; ${earlier.omitted} more since the last line` : '';
	context.logger.warn(`Backlink Exchange ${what}${more} (${source})`);
}
