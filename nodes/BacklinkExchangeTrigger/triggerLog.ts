import type { IWebhookFunctions } from 'n8n-workflow';

import { isObject } from '../shared/response';

/** For this many milliseconds one reason is logged once, however many deliveries are refused for it. */
const quietFor = 60_000;
/** The most reasons, and the most shapes, that are remembered. */
const mostRemembered = 1000;

const refusals = new Map<string, { quietUntil: number; unsaid: number }>();
const shapesSaid = new Set<string>();

/** Says in n8n's log why a delivery was refused: at once the first time, then at most once a minute, with a count. */
export function logRefusal(context: IWebhookFunctions, reason: string): void {
	const place = placeOf(context);
	const key = `${place} ${reason}`;
	const now = Date.now();
	const earlier = refusals.get(key);
	if (earlier !== undefined && earlier.quietUntil > now) {
		earlier.unsaid++;
		return;
	}
	if (refusals.size >= mostRemembered) refusals.clear();
	refusals.set(key, { quietUntil: now + quietFor, unsaid: 0 });
	const more = earlier?.unsaid
		? `; ${earlier.unsaid} more for the same reason since the last line`
		: '';
	context.logger.warn(`Backlink Exchange Trigger refused a delivery: ${reason}${more} (${place})`);
}

/** Says once for each form what a signed delivery looked like that the trigger did not recognize: its field names only. */
export function logUnrecognized(context: IWebhookFunctions, json: unknown): void {
	const place = placeOf(context);
	const shape = describeShape(json);
	const key = `${place} ${shape}`;
	if (shapesSaid.has(key)) return;
	if (shapesSaid.size >= mostRemembered) shapesSaid.clear();
	shapesSaid.add(key);
	context.logger.warn(
		`Backlink Exchange Trigger received a signed delivery that it does not recognize: ${shape}. This is said once (${place})`,
	);
}

function placeOf(context: IWebhookFunctions): string {
	return `workflow ${context.getWorkflow().id ?? ''}, node "${context.getNode().name}"`;
}

function describeShape(json: unknown): string {
	if (json === undefined) return 'the body is not JSON';
	if (Array.isArray(json)) {
		const first: unknown = json.find(isObject);
		return `a list of ${json.length}${first === undefined ? ', none of them an object' : `, first ${describeShape(first)}`}`;
	}
	if (!isObject(json)) return `a single ${json === null ? 'null' : typeof json}`;
	const fields = Object.entries(json).map(([name, value]) => {
		const inner = isObject(value) ? ` (${namesOf(value)})` : '';
		return `${readable(name)}${inner}`;
	});
	return `an object with ${listed(fields)}`;
}

function namesOf(object: object): string {
	return listed(Object.keys(object).map(readable));
}

function listed(names: string[]): string {
	if (names.length === 0) return 'no fields';
	return names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');
}

/** A name that a stranger chose, made safe for one line of a log. */
function readable(name: string): string {
	return name.replace(/[^\x20-\x7e]/g, '?').slice(0, 40);
}
