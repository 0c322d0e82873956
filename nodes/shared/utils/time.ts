import type { IDataObject } from 'n8n-workflow';

/** A number below this is a duration in seconds, of three years at most; from here on it is a moment. */
const maxDeltaSeconds = 1e8;
/** A number below this counts seconds, until the year 5138; from here on it counts milliseconds, since 1973. */
const minEpochMs = 1e11;

/**
 * Milliseconds since the epoch, by the machine's clock at the start of the process, which nobody sets after that: when the
 * machine's clock is corrected during a wait, the wait is neither longer nor shorter.
 */
export function monotonicNow(): number {
	return performance.timeOrigin + performance.now();
}

/** A date, perhaps with a time of day and a zone, as ISO 8601 writes it; a blank may stand in the place of the "T". */
const isoDate =
	/^(?<date>\d{4}-\d{2}-\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(?<zone>Z|[+-]\d{2}:\d{2})?)?$/i;
/** RFC 9110, section 5.6.7: "Wed, 01 Jul 2026 12:00:30 GMT". */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The moment that a header or field names, in epoch milliseconds of the clock that `now` was read from; undefined when it
 * names none. Reads seconds from now, epoch seconds or milliseconds, ISO 8601 and HTTP-date.
 */
export function parseTimestamp(value: string | undefined, now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (!/^\d{1,15}(\.\d{1,9})?$/.test(text)) return parseDate(text);
	const number = Number(text);
	if (number < maxDeltaSeconds) return now + number * 1000;
	return number < minEpochMs ? number * 1000 : number;
}

/** The moment that a field of a record or payload names, in whole epoch seconds; undefined when it names none. */
export function parseEpochSeconds(value: unknown): number | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const timestamp = parseTimestamp(String(value), 0) ?? NaN;
	// A small number is a duration, and services write a moment that is not yet known as one of the year 1 or 1970, for example.
	return timestamp >= maxDeltaSeconds * 1000 ? Math.floor(timestamp / 1000) : undefined;
}

/** The first of these fields that names a moment. */
export function firstTimestamp(record: IDataObject, fields: readonly string[]): number | undefined {
	return fields.map((field) => parseEpochSeconds(record[field])).find((time) => time !== undefined);
}

/**
 * The result tells of a record whether one of these fields may name this moment, in epoch milliseconds, or a later one: a date
 * alone may be any moment of its day. Undefined when none names a moment.
 */
export function isOnOrAfter(thresholdMs: number, fields: readonly string[]) {
	return (record: IDataObject): boolean | undefined => {
		const ends = fields.flatMap((field) => {
			const seconds = parseEpochSeconds(record[field]);
			const isDateOnly = /^\s*\d{4}-\d\d-\d\d\s*$/.test(String(record[field]));
			return seconds === undefined ? [] : seconds + (isDateOnly ? 86_400 : 1);
		});
		return ends.length === 0 ? undefined : ends.some((end) => end * 1000 > thresholdMs);
	};
}

/**
 * Whether a moment, in epoch seconds, is later than another: one second more or less is the same moment, rounded. It is not,
 * where one of them is not known.
 */
export function isAfter(seconds: number | undefined, otherSeconds: number | undefined): boolean {
	return (seconds ?? NaN) - (otherSeconds ?? NaN) > 1;
}

/** The moment of a date, which is UTC without a zone (all documented times are: service-api.md, "Resources and their fields"). */
function parseDate(text: string): number | undefined {
	const { date, time = '00:00', zone = 'Z' } = isoDate.exec(text)?.groups ?? {};
	const normalizedText = date === undefined ? text : `${date}T${time}${zone.toUpperCase()}`;
	if (date === undefined && !httpDate.test(text)) return undefined;
	const timestamp = Date.parse(normalizedText);
	return Number.isNaN(timestamp) ? undefined : timestamp;
}
