import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { sanitize } from './formatting/message';
import { BoundedMap } from './utils/boundedMap';
import { monotonicNow } from './utils/time';

/** Until when each warning is not written again, by `steadyNow`. */
const mutedUntil = new BoundedMap<string, number>(1000);

/**
 * Writes a warning to n8n's log, unless the same one was written less than `quietFor` milliseconds ago, because anybody can send
 * deliveries that are refused. It is one line, whatever a node is called or the service says.
 */
export function warnThrottled(
	context: IHookFunctions | IPollFunctions | IWebhookFunctions,
	message: string,
	throttleMs = 60_000,
): void {
	const name = JSON.stringify(sanitize(context.getNode().name, 100));
	const source = `workflow ${context.getWorkflow().id ?? ''}, node ${name}`;
	const line = `Backlink Exchange ${sanitize(message, 1000)} (${source})`;
	const now = monotonicNow();
	if (now < (mutedUntil.get(line) ?? 0)) return;
	mutedUntil.set(line, now + throttleMs);
	context.logger.warn(line);
}
