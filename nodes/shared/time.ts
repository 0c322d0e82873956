import type { IDataObject } from 'n8n-workflow';

/** A number below this is a duration in seconds, of three years at most; from here on it is a moment. */
const largestDelta = 1e8;
/** The year 5138, in milliseconds. A number that would be a later moment in seconds counts milliseconds, microseconds or finer. */
const latest = 1e14;

/**
 * Milliseconds since the epoch, by the machine's clock at the start of the process, which nobody sets after that: when the
 * machine's clock is corrected during a wait, the wait is neither longer nor shorter.
 */
export function steadyNow(): number {
	return performance.timeOrigin + performance.now();
}

/**
 * A date, perhaps with a time of day and a zone, as ISO 8601 and SQL write it. Without separators, a time has to follow behind
 * a "T", because digits alone are a number.
 */
const dateAndTime =
	/^(?<year>\d{4})(?:[-/]|(?=\d{4}T))(?<month>\d{2})(?:[-/]|(?=\d{2}T))(?<day>\d{2})(?:(?:T|\s+)(?<hour>\d{2}):?(?<minute>\d{2})(?::?(?<second>\d{2}))?(?:[.,](?<fraction>\d+))?)?\s*(?:Z|UTC|GMT|(?<zoneHours>[+-]\d{2})(?::?(?<zoneMinutes>\d{2}))?)?$/i;
/**
 * A date as HTTP, mail (RFC 2822) and JavaScript write it: "Wed, 01 Jul 2026 12:00:30 GMT", "1 Jul 2026 12:00 +0000",
 * "Wed Jul  1 12:00:30 2026".
 */
const dateInWords =
	/^([A-Z][a-z]{2,8}(, *\d| [A-Z][a-z]{2} )|\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2})/;
const timeInWords = / (?<hour>\d{1,2}):\d{2}(?::(?<second>\d{2}))?/;
/** A zone at the end of a text: UTC, a difference from it, or a name that RFC 2822 (section 4.3) has for a zone of North America. */
const zoneBehind = /(GMT|UTC?|Z|[ECMP][SD]T|[+-]\d{2}:?\d{2})( \([^()]*\))?$/;

/** A moment as a field has it. */
export interface FieldTime {
	/** Whole epoch seconds. */
	seconds: number;
	/** How many seconds the field leaves open: 60 for a time without seconds, a day for a date alone. */
	precision: 1 | 60 | 86_400;
}

/**
 * The moment that a header or field names, in epoch milliseconds of the clock that `now` was read from; undefined when it
 * names none. Reads delta seconds, epoch seconds or finer, ISO 8601, HTTP-date (RFC 9110, section 10.2.3) and the dates of
 * mail (RFC 2822, section 3.3).
 */
export function readMoment(value: string | undefined, now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (!/^(?=.{1,64}$)\d+(\.\d+)?$/.test(text)) return readDate(text)?.moment;
	const number = Number(text);
	if (number < largestDelta) return now + number * 1000;
	let moment = number * 1000;
	while (moment >= latest) moment /= 1000;
	return moment;
}

/** The moment that a field of a record or payload names; undefined when it names none. A small number is a duration. */
export function readFieldTime(value: unknown): FieldTime | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	const { moment = readMoment(text, 0) ?? NaN, precision = 1 } = readDate(text) ?? {};
	// Services write a moment that is not yet known as one of the year 1, 1900, 1970 or 9999, for example.
	const isReal = moment >= largestDelta * 1000 && moment < latest;
	return isReal ? { seconds: Math.floor(moment / 1000), precision } : undefined;
}

/** The first of these fields that names a moment. */
export function firstTime(record: IDataObject, fields: readonly string[]): FieldTime | undefined {
	return fields.map((field) => readFieldTime(record[field])).find((time) => time !== undefined);
}

/**
 * The result tells of a record whether one of these fields may name this moment, in epoch milliseconds, or a later one: a date
 * alone may be any moment of its day. Undefined when none names a moment.
 */
export function isSince(moment: number, fields: readonly string[]) {
	return (record: IDataObject): boolean | undefined => {
		const times = fields.flatMap((field) => readFieldTime(record[field]) ?? []);
		const isLate = times.some(({ seconds, precision }) => (seconds + precision) * 1000 > moment);
		return times.length === 0 ? undefined : isLate;
	};
}

/**
 * Whether a moment, in epoch seconds, is later than another: one second more or less is the same moment, rounded. It is not,
 * where one of them is not known.
 */
export function isLater(moment: number | undefined, other: number | undefined): boolean {
	return (moment ?? NaN) - (other ?? NaN) > 1;
}

/** The moment of a date, which is UTC without a zone (RFC 9110, section 5.6.7; all documented times are: service-api.md, "Resources and their fields"). */
function readDate(text: string): { moment: number; precision: FieldTime['precision'] } | undefined {
	const parts = dateAndTime.exec(text)?.groups;
	// What is not ISO 8601 has to begin like a date, because Date.parse takes almost any text for one.
	if (parts === undefined && !dateInWords.test(text)) return undefined;
	const inWords = zoneBehind.test(text) ? text : `${text} Z`;
	const moment = Date.parse(parts === undefined ? inWords : inFull(parts));
	if (Number.isNaN(moment)) return undefined;
	const { hour, second } = parts ?? timeInWords.exec(text)?.groups ?? {};
	return { moment, precision: second !== undefined ? 1 : hour !== undefined ? 60 : 86_400 };
}

/** A date in the one form that JavaScript reads the same in every version. */
function inFull(parts: Partial<Record<string, string>>): string {
	const { year, month, day, hour = '00', minute = '00', second = '00', fraction = '0' } = parts;
	const { zoneHours, zoneMinutes = '00' } = parts;
	const zone = zoneHours === undefined ? 'Z' : `${zoneHours}:${zoneMinutes}`;
	return `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}${zone}`;
}
