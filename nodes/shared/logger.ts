import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import { sanitize } from './formatting/message';
import { BoundedMap } from './utils/boundedMap';
import { monotonicNow } from './utils/time';

/** Monotonic time until which a warning isn't logged again, by log line. */
const mutedUntil = new BoundedMap<string, number>(1000);

/**
 * Logs a warning to n8n's log, unless the same one was logged within the last `throttleMs`, because
 * anyone can send deliveries that are rejected. The name of the node and third-party text are
 * sanitized, so that it is always one line.
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
