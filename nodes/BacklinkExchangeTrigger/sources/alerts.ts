import { type Alert, parseAlert } from '../../shared/api/alert';
import { fetchList } from '../../shared/api/fetchList';
import type { EventData } from '../../shared/events/event.types';
import { toEventData } from '../../shared/events/events';
import { hash } from '../../shared/utils/ids';
import { assertTrackable, listCacheMs, warnIfTruncated } from './lists';
import type { Difference, Source } from './source.types';

/** Each takes about 35 bytes of static data. */
export const maxTrackedAlerts = 20_000;

const hashLength = 12;

/** Known alerts, by hashes. */
export interface KnownAlerts {
	/** ID and severity, or content and time. They stay known if they aren't listed. */
	identified: string[];
	/** Numbers of those without ID and time that the last poll listed, by content. */
	listed: Record<string, number>;
	/** Numbers of those without ID and time that only the last poll didn't list, by content. */
	missing: Record<string, number>;
	/** Numbers of all that were ever seen, by content: further ones are numbered. */
	seen: Record<string, number>;
}

const noAlerts: KnownAlerts = { identified: [], listed: {}, missing: {}, seen: {} };

export const alertSource: Source<Alert[], KnownAlerts> = {
	cacheMs: listCacheMs,
	nothing: noAlerts,
	async fetch({ context, client, cacheOptions }) {
		const { entries, truncated } = await fetchList(client, 'watchdogEvents', cacheOptions);
		warnIfTruncated(context, truncated, 'alerts');
		const limits = { noun: 'alerts', count: entries.length, max: maxTrackedAlerts };
		assertTrackable(context, limits, "remove 'New Alert'");
		return entries.map(parseAlert);
	},
	compare: diffAlerts,
};

/**
 * Returns the alerts that are new, in any order of the list, and the next known alerts.
 *
 * The identity of an alert is its ID and severity, otherwise its content and time, otherwise its
 * content. Alerts without ID and time are counted, and gone after two polls without them.
 *
 * @param previous `undefined` for a baseline
 */
export function diffAlerts(
	alerts: readonly Alert[],
	previous: KnownAlerts | undefined,
): Difference<KnownAlerts> {
	const known = previous ?? noAlerts;
	const knownKeys = new Set(known.identified);
	const keys = new Set<string>();
	const listed = new Map<string, number>();
	const seen = new Map<string, number>();
	const changes: EventData[] = [];
	for (const alert of alerts) {
		const content = shorten([alert.exchangeId, alert.contentHash]);
		const key = getKey(alert, content);
		// An alert can be listed twice, for example on two pages.
		if (key !== undefined && keys.has(key)) continue;
		let isKnown: boolean;
		if (key !== undefined) {
			keys.add(key);
			isKnown = knownKeys.has(key);
		} else {
			const count = (listed.get(content) ?? 0) + 1;
			listed.set(content, count);
			isKnown = count <= (known.listed[content] ?? 0) + (known.missing[content] ?? 0);
		}
		const seenCount = (seen.get(content) ?? known.seen[content] ?? 0) + (isKnown ? 0 : 1);
		seen.set(content, seenCount);
		if (!isKnown) changes.push({ ...toEventData(alert.record, 'alerts'), count: seenCount });
	}
	const missing = Object.entries(known.listed)
		.map(([content, count]) => [content, count - (listed.get(content) ?? 0)] as const)
		.filter(([, count]) => count > 0);
	const others = Object.entries(known.seen).filter(([content]) => !seen.has(content));
	return {
		changes: previous === undefined ? [] : changes,
		known: {
			// The listed alerts first, then as many of the others as the capacity allows.
			identified: [...new Set([...keys, ...knownKeys])].slice(0, maxTrackedAlerts),
			listed: Object.fromEntries(listed),
			missing: Object.fromEntries(missing),
			seen: Object.fromEntries([...seen, ...others].slice(0, maxTrackedAlerts)),
		},
	};
}

/** Returns what identifies an alert, unless that is only its content. */
function getKey({ id, severity, raisedAt }: Alert, content: string): string | undefined {
	if (id !== undefined) return shorten([id, severity]);
	return raisedAt === undefined ? undefined : shorten([content, raisedAt]);
}

function shorten(parts: unknown[]): string {
	return hash(parts).slice(0, hashLength);
}
