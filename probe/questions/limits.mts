/**
 * service-api.md names X-RateLimit-Remaining and X-RateLimit-Reset, but not their units. The Date header shows the service's
 * clock.
 */
import type { Dialect } from '../../sandbox/dialects.mts';
import { bodyWords, kindOf } from '../bodies.mts';
import type { Answer } from '../client.mts';
import { time } from '../product.mts';
import type { Observation } from '../report.mts';

export function lookAtLimits(answers: Answer[]): Observation[] {
	const skew = skewOf(answers);
	return [resetOf(answers, skew), remainingOf(answers), clockOf(skew), refusedOf(answers)];
}

function resetOf(answers: Answer[], skew: number | undefined): Observation {
	const question = 'X-RateLimit-Reset';
	const values = answers.flatMap(({ headers }) => headers['x-ratelimit-reset'] ?? []);
	const [first] = values;
	if (first === undefined) return { question, seen: 'not there', verdict: 'tolerated' };
	const form = formOf(first);
	const answer = answers.find(({ headers }) => headers['x-ratelimit-reset'] === first);
	const now = (answer?.receivedAt ?? 0) + (skew ?? 0) * 1000;
	const resetsAt = time.readMoment(first, now);
	if (resetsAt === undefined) return { question, seen: form, verdict: 'not supported' };
	const window = (resetsAt - now) / 1000;
	return {
		question,
		seen: `${form}, ${windowWords(window)}`,
		verdict: 'supported',
		...(isResetForm(form) && { dialect: { rateLimitReset: form } }),
	};
}

function formOf(value: string): string {
	if (/^\d{13}$/.test(value)) return 'epoch-milliseconds';
	if (/^\d{10}$/.test(value)) return 'epoch-seconds';
	if (/^\d{1,6}$/.test(value)) return 'delta-seconds';
	if (/^\d{4}-\d{2}-\d{2}T/.test(value)) return 'iso-8601';
	if (/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4}/.test(value)) return 'http-date';
	return 'another format';
}

function isResetForm(form: string): form is Dialect['rateLimitReset'] {
	return ['epoch-seconds', 'epoch-milliseconds', 'delta-seconds', 'iso-8601', 'http-date'].includes(
		form,
	);
}

function windowWords(seconds: number): string {
	if (seconds < -2) return 'in the past';
	if (seconds <= 62) return 'within a minute';
	return seconds <= 3602 ? 'within an hour' : 'later than in an hour';
}

/** The larger plan has 240 requests a minute; more than that can only be the day's. */
const mostPerMinute = 240;

function remainingOf(answers: Answer[]): Observation {
	const question = 'X-RateLimit-Remaining';
	const values = answers.flatMap(({ headers }) => headers['x-ratelimit-remaining'] ?? []);
	if (values.length === 0) return { question, seen: 'not there', verdict: 'tolerated' };
	if (!values.every((value) => /^\d{1,9}$/.test(value.trim()))) {
		return { question, seen: 'no whole number', verdict: 'not supported' };
	}
	const ofTheDay = values.some((value) => Number(value) > mostPerMinute);
	return {
		question,
		seen: `whole number, ${ofTheDay ? "the day's quota shows" : "the minute's quota"}`,
		verdict: 'supported',
	};
}

/**
 * Whole seconds by which the service's clock is ahead, from all answers together: a Date header is cut to whole seconds, so the service's
 * time was at most a second later, at some moment between sending and receiving. Undefined when no answer has one.
 */
function skewOf(answers: Answer[]): number | undefined {
	let least = -Infinity;
	let most = Infinity;
	for (const { headers, sentAt, receivedAt } of answers) {
		const date = Date.parse(headers.date ?? '');
		if (Number.isNaN(date)) continue;
		least = Math.max(least, date - receivedAt);
		most = Math.min(most, date + 1000 - sentAt);
	}
	if (least === -Infinity) return undefined;
	if (least <= 0 && most >= 0) return 0;
	return Math.round((least + most) / 2 / 1000);
}

function clockOf(skew: number | undefined): Observation {
	const question = "the service's clock";
	if (skew === undefined) return { question, seen: 'no Date header', verdict: 'tolerated' };
	return {
		question,
		seen: skew === 0 ? 'as here' : `${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}`,
		verdict: 'supported',
		dialect: { clockSkewSeconds: skew },
	};
}

/** The probe keeps within the quota, so this is seen only when something else has used it up. */
function refusedOf(answers: Answer[]): Observation {
	const question = 'limit exceeded';
	const refused = answers.find(({ status }) => status === 429);
	if (refused === undefined) return { question, seen: 'not reached', verdict: 'not seen' };
	const retryAfter = refused.headers['retry-after'];
	const kind = kindOf(refused);
	const form = kind === 'documented error' ? 'json' : kind === 'text' ? 'text' : undefined;
	const wait =
		retryAfter === undefined ? '' : /^\d/.test(retryAfter) ? 'retry-after-' : 'retry-date-';
	const setting = form === undefined ? '' : `${wait}${form}`;
	return {
		question,
		seen: `HTTP 429 with ${bodyWords(refused)}, Retry-After ${retryAfter === undefined ? 'missing' : wait === 'retry-date-' ? 'as a date' : 'in seconds'}`,
		verdict: 'supported',
		...(isLimitForm(setting) && { dialect: { limitExceeded: setting } }),
	};
}

function isLimitForm(setting: string): setting is Dialect['limitExceeded'] {
	return ['retry-after-json', 'json', 'retry-after-text', 'text', 'retry-date-json'].includes(
		setting,
	);
}
