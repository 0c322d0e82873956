import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { shorten } from '../text';

/** Milliseconds in which the same warning is written once, however often there is reason for it. */
const usualQuiet = 60_000;
/** The most characters of what is said, and of a node's name. */
const mostSaid = 1000;
const mostInName = 100;
/** The most warnings that are remembered. */
const mostRemembered = 1000;

const logged = new BoundedMap<string, { quietUntil: number; omitted: number }>(mostRemembered);

/**
 * Writes a warning to n8n's log, at once the first time. The same warning is written again when `quietFor` milliseconds are
 * over, with the number of those that were left out. It is one line, whatever a node is called or the service says.
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
	logged.set(key, { quietUntil: now + quietFor, omitted: 0 });
	const more = earlier?.omitted ? `; ${earlier.omitted} more since the last line` : '';
	context.logger.warn(asOneLine(`Backlink Exchange ${said}${more} (${source})`));
}

/** The text without characters that a terminal acts on, that begin another line, or that reverse this one. */
function asOneLine(text: string): string {
	return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ');
}
