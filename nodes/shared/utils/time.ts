import type { IDataObject } from 'n8n-workflow';

/** A smaller number is a duration in seconds (at most three years), a larger one is a timestamp. */
const maxDeltaSeconds = 1e8;
/**
 * A smaller number counts seconds (until the year 5138), a larger one milliseconds (since 1973).
 */
const minEpochMs = 1e11;

/**
 * Returns the monotonic time: epoch milliseconds by this machine's clock at the start of the
 * process.
 *
 * If the machine's clock is corrected during a wait, the wait becomes neither longer nor shorter.
 */
export function monotonicNow(): number {
	return performance.timeOrigin + performance.now();
}

/**
 * ISO 8601: a date and a time of day, separated by "T" or a space, with a zone (`Z`, `±hh`, `±hhmm`
 * or `±hh:mm`).
 */
const isoDate =
	/^(?<date>\d{4}-\d{2}-\d{2})[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?<zone>Z|[+-]\d{2}(?::?\d{2})?)$/i;
/** RFC 9110, section 5.6.7: "Wed, 01 Jul 2026 12:00:30 GMT". */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a timestamp: seconds from now, epoch seconds or milliseconds, ISO 8601 or HTTP-date.
 *
 * @param now epoch milliseconds, by the clock to which the result belongs
 * @returns epoch milliseconds, or `undefined` if the value isn't a timestamp
 */
export function parseTimestamp(value: string | undefined, now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (!/^\d{1,15}(\.\d{1,9})?$/.test(text)) return parseDate(text);
	const number = Number(text);
	if (number < maxDeltaSeconds) return now + number * 1000;
	return number < minEpochMs ? number * 1000 : number;
}

/**
 * Parses the timestamp in a field of a record or payload.
 *
 * @returns whole epoch seconds, or `undefined` if the value isn't a timestamp
 */
export function parseEpochSeconds(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const timestamp = parseTimestamp(String(value), 0) ?? NaN;
	// A small number is a duration, and services write an unknown timestamp as a date in the year 1
	// or 1970, for example.
	return timestamp >= maxDeltaSeconds * 1000 ? Math.floor(timestamp / 1000) : undefined;
}

/** Returns the epoch seconds of the first of these fields that contains a timestamp. */
export function firstTimestamp(record: IDataObject, fields: readonly string[]): number | undefined {
	return fields.map((field) => parseEpochSeconds(record[field])).find((time) => time !== undefined);
}

/**
 * Returns whether a time is later than another one, both in epoch seconds. A difference of one
 * second is a rounding difference. If one of them is unknown, it isn't later.
 */
export function isAfter(seconds: number | undefined, otherSeconds: number | undefined): boolean {
	return (seconds ?? NaN) - (otherSeconds ?? NaN) > 1;
}

/**
 * Parses an ISO 8601 date or an HTTP-date.
 *
 * service-api.md, "Resources and their fields": all documented times are UTC, so a date without a
 * zone is, too.
 *
 * @returns epoch milliseconds, or `undefined` if the text isn't a date
 */
function parseDate(text: string): number | undefined {
	const { date, time = '00:00', zone = 'Z' } = isoDate.exec(text)?.groups ?? {};
	// `Date.parse` needs `±hh:mm`.
	const [, hours = '', minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? [];
	const offset = hours === '' ? 'Z' : `${hours}:${minutes}`;
	const normalizedText = date === undefined ? text : `${date}T${time}${offset}`;
	if (date === undefined && !httpDate.test(text)) return undefined;
	const timestamp = Date.parse(normalizedText);
	return Number.isNaN(timestamp) ? undefined : timestamp;
}
