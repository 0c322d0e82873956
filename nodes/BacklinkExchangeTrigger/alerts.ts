import type { IDataObject } from 'n8n-workflow';

import { timeOfAlert } from '../shared/fields/events';
import { hash, isId, plainText } from '../shared/identity';

/** The most alerts that are remembered. As text, one takes about 30 bytes. */
export const mostAlerts = 20_000;

/** What is remembered of an alert, written as `<content>[#<id>|@<seconds>][?|??]`. */
interface KnownAlert {
	/** A hash of exchange, severity, type and detail. Alerts of the same content are numbered. */
	content: string;
	/** What makes it another alert than one of the same content: a hash of ID and severity, or else its time; empty without both. */
	mark: string;
	/** For how many polls in a row an alert without ID and time was not listed; after two it is gone. */
	missed: number;
}

/**
 * Which alerts of a list are new, whatever their order, and what to remember. An alert is its ID and severity, or else its
 * content and time, or else its content, each counted among its equals. An empty list changes nothing.
 * @param before as this function has written it
 */
export function compareAlerts(alerts: IDataObject[], before: readonly string[]) {
	const remembered = before.map(unpack);
	const unmatched = new Map<string, KnownAlert[]>();
	for (const known of remembered.filter(({ missed }) => missed < 2)) {
		const key = keyOf(known);
		unmatched.set(key, [...(unmatched.get(key) ?? []), known]);
	}
	const listed = withoutRepeatedIds(alerts.map((alert) => ({ alert, known: describe(alert) })));
	const fresh = listed.filter(({ known }) => unmatched.get(keyOf(known))?.pop() === undefined);
	const unlisted = [
		...[...unmatched.values()].flat().map((known) => (alerts.length > 0 ? missing(known) : known)),
		...remembered.filter(({ missed }) => missed >= 2),
	];

	// Among alerts of the same content, those that are remembered have the first numbers.
	const counts = new Map<string, number>();
	const count = ({ content }: KnownAlert): number => {
		const number = (counts.get(content) ?? 0) + 1;
		counts.set(content, number);
		return number;
	};
	for (const known of remembered) count(known);
	return {
		/** `occurrence` is 2 for the second alert of the same content, and so on. */
		fresh: fresh.map(({ alert, known }) => ({ alert, occurrence: count(known) })),
		/**
		 * The listed ones first; of the others as many as there is room for.
		 * @param left alerts that the next poll is to find again
		 */
		remember(left: ReadonlySet<IDataObject>): string[] {
			const shown = listed.filter(({ alert }) => !left.has(alert)).map(({ known }) => known);
			return [...shown, ...unlisted].slice(0, Math.max(shown.length, mostAlerts)).map(pack);
		},
	};
}

function describe(alert: IDataObject): KnownAlert {
	const { id, exchange_id: exchange, severity, type, detail } = alert;
	const short = (...parts: unknown[]) => hash(parts.map(plainText)).slice(0, 12);
	const seconds = timeOfAlert(alert)?.seconds;
	// Some services write the ID of the exchange there.
	const hasId = isId(id) && String(id) !== plainText(exchange);
	return {
		content: short(exchange, severity, type, detail),
		mark: hasId ? `#${short(id, severity)}` : seconds === undefined ? '' : `@${seconds}`,
		missed: 0,
	};
}

function keyOf({ content, mark }: KnownAlert): string {
	return mark.startsWith('#') ? mark : `${content}${mark}`;
}

function missing(known: KnownAlert): KnownAlert {
	return known.mark === '' ? { ...known, missed: known.missed + 1 } : known;
}

/** The alerts without those that have an ID and are listed again, as on two pages. */
function withoutRepeatedIds<Entry extends { known: KnownAlert }>(entries: Entry[]): Entry[] {
	const found = new Set<string>();
	return entries.filter(({ known: { mark } }) => {
		const isRepeated = found.has(mark);
		if (mark.startsWith('#')) found.add(mark);
		return !isRepeated;
	});
}

function pack({ content, mark, missed }: KnownAlert): string {
	return content + mark + '?'.repeat(missed);
}

function unpack(text: string): KnownAlert {
	const [, content = '', mark = '', missed = ''] = /^(\w*)([^?]*)(\?*)$/.exec(text) ?? [];
	return { content, mark, missed: missed.length };
}
