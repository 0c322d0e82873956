/** Demo data for a new store. The same seed gives the same data, times included. */
import { createHash } from 'node:crypto';

import { resolveDialect } from '../dialects.mts';
import type { Store } from '../store/store.mts';
import { Accepts } from './accepts.mts';
import { Credits } from './credits.mts';
import { Exchanges } from './exchanges.mts';
import { Sites } from './sites.mts';
import { Watchdog } from './watchdog.mts';

const begin = Date.UTC(2026, 6, 1, 8);
const hour = 3_600_000;

const ownSites = [
	{ url: 'https://slow-coffee.example', niche: 'food' },
	{ url: 'https://trail-notes.example', niche: 'outdoor' },
	{ url: 'https://small-budget.example', niche: 'finance' },
];
const partners = [
	'https://kettle-review.example/',
	'https://peak-diary.example/',
	'https://thrifty-week.example/',
	'https://bean-atlas.example/',
	'https://hut-to-hut.example/',
	'https://ledger-lane.example/',
];
const anchors = [
	'how to brew at home',
	'a packing list that works',
	'budgeting without spreadsheets',
	'the best hand grinders',
	'weekend routes',
];
const offers = 12;

/**
 * Lets the account's history happen by the service's own rules, on a clock of its own, without deliveries.
 *
 * @param credits the opening balance
 */
export function fillDemoAccount(store: Store, seed: number | string, credits: number): void {
	let now = begin;
	const clock = () => now;
	const ledger = new Credits(store, clock);
	const sites = new Sites(store, clock);
	const exchanges = new Exchanges(store, clock);
	const accepts = new Accepts(store, clock, ledger, exchanges);
	const watchdog = new Watchdog(store, clock);
	const pick = (what: string, count: number) => numberFrom(`${seed} ${what}`) % count;

	store.transaction(() => {
		ledger.enter(credits, 'opening');
		for (const site of ownSites) {
			now += hour;
			sites.add(site, { outcome: 'verified', delayMilliseconds: hour });
		}
		now += 2 * hour;
		sites.finishVerifications();
		for (let offer = 0; offer < offers; offer += 1) {
			now += (1 + pick(`wait ${offer}`, 20)) * hour;
			const { id, cost } = exchanges.request({
				id: `exc_${createHash('sha256').update(`${seed} id ${offer}`).digest('base64url').slice(0, 12)}`,
				fromSite: partners[pick(`from ${offer}`, partners.length)],
				toSite: ownSites[pick(`to ${offer}`, ownSites.length)]?.url,
				anchor: anchors[pick(`anchor ${offer}`, anchors.length)],
				cost: 5 + pick(`cost ${offer}`, 4) * 5,
			});
			// Of six offers, two stay pending, one is accepted, two are live and one is broken, as far as the credits go.
			const fate = offer % 6;
			if (fate < 2 || ledger.balance().balance < cost) continue;
			now += hour;
			accepts.accept(id, resolveDialect('plain'));
			if (fate < 3) continue;
			now += 2 * hour;
			const { toSite, liveUrl } = exchanges.publish(id);
			if (fate < 5) continue;
			now += 24 * hour;
			exchanges.removeLink(id);
			exchanges.check();
			watchdog.record({
				exchangeId: id,
				severity: 'critical',
				type: 'link_removed',
				detail: `The link to ${toSite} is gone from ${liveUrl ?? ''}.`,
			});
		}
	});
}

function numberFrom(text: string): number {
	return createHash('sha256').update(text).digest().readUInt32BE();
}
