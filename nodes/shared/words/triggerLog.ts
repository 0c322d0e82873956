import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { shorten } from '../text';

/** For this many milliseconds the same is logged once, however often it happens. */
const usualQuiet = 60_000;
/** The most characters of what is said, and of a node's name. */
const mostSaid = 1000;
const mostInName = 100;
/** The most lines that are remembered. */
const mostRemembered = 1000;

const logged = new Map<string, { quietUntil: number; omitted: number }>();

/**
 * Writes a warning to n8n's log, as one line, whatever others chose to call a node or the service says: at once the first time, then again when `quietFor` milliseconds are over, with the number
 * of those that it stands for.
 */
export function log(
	context: IHookFunctions | IPollFunctions | IWebhookFunctions,
	what: string,
	quietFor = usualQuiet,
): void {
	const name = JSON.stringify(shorten(context.getNode().name, mostInName));
	const source = `workflow ${context.getWorkflow().id ?? ''}, node ${name}`;
	const said = shorten(what, mostSaid);
	const key = `${source} ${said}`;
	const now = performance.now();
	const earlier = logged.get(key);
	if (earlier !== undefined && earlier.quietUntil > now) {
		earlier.omitted++;
		return;
	}
	if (logged.size >= mostRemembered) logged.clear();
	logged.set(key, { quietUntil: now + quietFor, omitted: 0 });
	const more = earlier?.omitted ? `; ${earlier.omitted} more since the last line` : '';
	context.logger.warn(asOneLine(`Backlink Exchange ${said}${more} (${source})`));
}

/** Without what a terminal acts on, and what would begin another line or reverse this one. */
function asOneLine(text: string): string {
	return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
