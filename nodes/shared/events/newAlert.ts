import type { Alert } from '../api/alert';
import { compactParts, joinWords, quote } from '../formatting/message';
import type { EventType } from './event.types';
import {
	describeLink,
	formatLinkRoute,
	formatSeconds,
	getRepairAdvice,
	withSubject,
} from './sentences';

/** For third-party sentences. */
const maxDetailLength = 300;
/** For identifiers that are shown as words, without quotation marks. */
const maxIdentifierLength = 40;

const goneStatus = 'is gone';
/**
 * Status of a link by the humanized type of an alert. The types aren't documented (service-api.md,
 * "Watchdog event").
 */
const linkStatusPhrases: Array<[type: RegExp, statusPhrase: string]> = [
	[/^(link )?(broken|deleted|gone|lost|missing|not found|removed)$/, goneStatus],
	[/^(link )?no ?follow( added)?$/, 'is marked nofollow'],
];

export const newAlert: EventType = {
	name: 'watchdog.alert',
	label: 'New Alert',
	description: 'The watchdog raised an alert about a link',
	isDefault: true,
	urgency: 1,
	digestLabel: { singular: 'new alert', plural: 'new alerts' },
	source: 'alerts',
	payload: { id: 'exchange_id', others: ['severity', 'type', 'detail'] },
	getTime: ({ alert }) => alert?.raisedAt,
	getKeyParts: ({ alert }) => [alert?.exchangeId, alert?.contentHash],
	formatTitle: ({ alert, exchange }) =>
		withSubject(formatHeadline(alert), exchange, formatLinkRoute(exchange)),
	formatMessage({ alert, exchange }, timeZone) {
		const type = humanize(alert?.type) ?? '';
		const [, status] = linkStatusPhrases.find(([pattern]) => pattern.test(type)) ?? [];
		const link = describeLink(exchange);
		const fact =
			link === undefined
				? 'the watchdog raised an alert'
				: status === undefined
					? `the alert concerns ${link}`
					: `${link} ${status}`;
		const message = [
			`${formatHeadline(alert)}: ${fact}.`,
			toSentence('The alert was raised on', formatSeconds(alert?.raisedAt, timeZone)),
		];
		const detail = hasNewWords(joinWords(...message), alert?.detail)
			? quote(alert?.detail, maxDetailLength)
			: undefined;
		const advice = status === goneStatus ? getRepairAdvice(exchange) : undefined;
		return joinWords(...message, toSentence('The service reports', detail), advice);
	},
};

/** Formats the headline of an alert: `New alert (critical, link removed)`. */
function formatHeadline({ severity, type }: Partial<Alert> = {}): string {
	const facts = compactParts(
		...[severity, type].map((value) => humanize(value) ?? quote(value)),
	).join(', ');
	return facts === '' ? 'New alert' : `New alert (${facts})`;
}

function toSentence(start: string, end: string | undefined): string | undefined {
	if (end === undefined) return undefined;
	return `${start} ${end}${/[.!?…]”$/.test(end) ? '' : '.'}`;
}

/** Returns whether third-party text contains a word that the message lacks. */
function hasNewWords(message: string, detail = ''): boolean {
	const splitWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	const messageWords = new Set(splitWords(message));
	return splitWords(detail).some((word) => !messageWords.has(word));
}

/**
 * Converts an identifier to words: `link removed` for `link_removed`.
 *
 * @returns `undefined` if the value isn't an identifier, or is too long
 */
function humanize(name = ''): string | undefined {
	if (name.length > maxIdentifierLength) return undefined;
	if (!/^[a-z][a-z0-9]*(?:[ _-][a-z0-9]+)*$/i.test(name)) return undefined;
	return name
		.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
		.replace(/[_-]/g, ' ')
		.toLowerCase();
}
