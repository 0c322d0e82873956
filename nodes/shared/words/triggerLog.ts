import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { steadyNow } from '../time';
import { plain } from './message';

/** Milliseconds in which the same warning is written once, however often there is reason for it. */
const usualQuiet = 60_000;
/** The most characters of what is said, and of a node's name. */
const mostSaid = 1000;
const mostInName = 100;
/** The most warnings that are remembered. */
const mostRemembered = 1000;

/** Until when each warning is not written again, by `steadyNow`. */
const logged = new BoundedMap<string, number>(mostRemembered);

/**
 * Writes a warning to n8n's log, unless the same one was written less than `quietFor` milliseconds ago, because anybody can send
 * deliveries that are refused. It is one line, whatever a node is called or the service says.
 */
export function log(
	context: IHookFunctions | IPollFunctions | IWebhookFunctions,
	what: string,
	quietFor = usualQuiet,
): void {
	const name = JSON.stringify(plain(context.getNode().name, mostInName));
	const source = `workflow ${context.getWorkflow().id ?? ''}, node ${name}`;
	const said = `Backlink Exchange ${plain(what, mostSaid)} (${source})`;
	const now = steadyNow();
	if (now < (logged.get(said) ?? 0)) return;
	logged.set(said, now + quietFor);
	context.logger.warn(said);
}
