import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isObject } from '../shared/response';

/** For this many milliseconds the same is logged once, however often it happens. */
const quietFor = 60_000;
/** The most lines that are remembered. */
const mostRemembered = 1000;

const logged = new Map<string, { quietUntil: number; omitted: number }>();

/** Writes to n8n's log: at once the first time, then at most once a minute, with a count. */
export function log(context: IWebhookFunctions | IHookFunctions, what: string): void {
	const source = `workflow ${context.getWorkflow().id ?? ''}, node "${context.getNode().name}"`;
	const key = `${source} ${what}`;
	const now = Date.now();
	const earlier = logged.get(key);
	if (earlier !== undefined && earlier.quietUntil > now) {
		earlier.omitted++;
		return;
	}
	if (logged.size >= mostRemembered) logged.clear();
	logged.set(key, { quietUntil: now + quietFor, omitted: 0 });
	const more = earlier?.omitted ? `; ${earlier.omitted} more since the last line` : '';
	context.logger.warn(`Backlink Exchange Trigger ${what}${more} (${source})`);
}

/** What a body looks like: the names of its fields, and no value. */
export function describeShape(json: unknown): string {
	if (json === undefined) return 'the body is not JSON';
	if (Array.isArray(json)) {
		const first: unknown = json.find(isObject);
		return `a list of ${json.length}${first === undefined ? ', none of them an object' : `, first ${describeShape(first)}`}`;
	}
	if (!isObject(json)) return `a single ${json === null ? 'null' : typeof json}`;
	const fields = Object.entries(json).map(([name, value]) => {
		const inner = isObject(value) ? ` (${listed(Object.keys(value).map(readable))})` : '';
		return `${readable(name)}${inner}`;
	});
	return `an object with ${listed(fields)}`;
}

function listed(names: string[]): string {
	if (names.length === 0) return 'no fields';
	return names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');
}

/** A name that a stranger chose, made safe for one line of a log. */
function readable(name: string): string {
	return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 40);
}
