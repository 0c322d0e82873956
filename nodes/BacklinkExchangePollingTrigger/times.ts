import { timeToken } from '../shared/events';
import { type FieldTime, isSameMoment, readFieldTime } from '../shared/time';

/** Epoch seconds, with the precision behind a slash where it is coarser; what is no moment as `timeToken` writes it. */
export function writeTime(value: unknown): string | undefined {
	const time = readFieldTime(value);
	return time === undefined ? timeToken(value) : writeMoment(time);
}

export function writeMoment({ seconds, precision }: FieldTime): string {
	return precision === 1 ? String(seconds) : `${seconds}/${precision}`;
}

/** Undefined for a text that is no moment. */
export function readTime(token: string | undefined): FieldTime | undefined {
	const [, seconds, precision = '1'] = /^(\d+)(?:\/(\d+))?$/.exec(token ?? '') ?? [];
	return seconds === undefined
		? undefined
		: { seconds: Number(seconds), precision: Number(precision) as FieldTime['precision'] };
}

/** A time that is missing on one side is no other time. Texts that are no moments have no order. */
export function compareTimes(
	now: string | undefined,
	before: string | undefined,
): 'same' | 'later' | 'earlier' | 'other' {
	if (now === undefined || before === undefined || now === before) return 'same';
	const [time, earlier] = [readTime(now), readTime(before)];
	if (time === undefined || earlier === undefined) return 'other';
	if (isSameMoment(time, earlier)) return 'same';
	return time.seconds > earlier.seconds ? 'later' : 'earlier';
}

/** Of two ways to write the same time, the more precise one; the first of two that are equally precise. */
export function finer(one: string | undefined, other: string | undefined): string | undefined {
	const [precision = Infinity, otherPrecision = Infinity] = [one, other].map(
		(token) => readTime(token)?.precision,
	);
	return otherPrecision < precision ? other : (one ?? other);
}
