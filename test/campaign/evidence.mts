import type { Fault } from '../../sandbox/faults.mts';

/** Fields that say that it went wrong. */
const failing = /^(errors?|error[_-]?(code|message|type|details?|description))$/i;

/**
 * Whether an answer to an accept says plainly that the offer is accepted (decision 0003): a record of it that is accepted or live, bare
 * or alone in `exchange` or `data`, in which nothing says otherwise; or a success without a body. A service that answers so
 * and has not carried it out cannot be told from one that has.
 */
export function saysAccepted(
	{ status: code = 503, body: text = '' }: Fault,
	offer: string,
): boolean {
	if (code < 200 || code > 299) return false;
	// What has no content, has none.
	if (text.trim() === '' || code === 204) return code !== 202;
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		return false;
	}
	for (let key = loneKey(json); key === 'data' || key === 'exchange'; key = loneKey(json)) {
		json = (json as Record<string, unknown>)[key];
	}
	return isObject(json) && json.id === offer && isPaid(json) && !isContradicted(json);
}

function isPaid(found: Record<string, unknown>): boolean {
	const named = [found.status, found.state].filter(
		(each) => each !== undefined && each !== null && each !== '',
	);
	const read = named
		.map((each) => (isObject(each) ? each.name : each))
		.map((each) => String(each).trim().toLowerCase());
	return (
		read.length > 0 &&
		(read.every((each) => each === 'accepted') || read.every((each) => each === 'live'))
	);
}

function isContradicted(found: Record<string, unknown>): boolean {
	return Object.entries(found).some(
		([name, value]) =>
			(failing.test(name) && isSaid(value)) ||
			(/^(success|ok)$/.test(name) && !['true', '1', 'null'].includes(String(value))) ||
			(name === 'accepted' && value === false) ||
			(name !== 'status' &&
				name !== 'state' &&
				isObject(value) &&
				('status' in value || 'state' in value)),
	);
}

function isSaid(value: unknown): boolean {
	return isObject(value) || Array.isArray(value) ? Object.keys(value).length > 0 : Boolean(value);
}

function loneKey(json: unknown): string | undefined {
	const keys = isObject(json) ? Object.keys(json) : [];
	return keys.length === 1 ? keys[0] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
