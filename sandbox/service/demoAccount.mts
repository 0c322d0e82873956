/** A lively account for a new store, and the offers that come in when somebody presses a button. */
import { createHash } from 'node:crypto';

import { resolveDialect } from '../dialects.mts';
import type { Store } from '../store/store.mts';
import { Accepts } from './accepts.mts';
import { Credits } from './credits.mts';
import { Exchanges, type NewExchange } from './exchanges.mts';
import { Sites } from './sites.mts';
import { Watchdog } from './watchdog.mts';

const ownSites = [
	{ url: 'https://slow-coffee.example', niche: 'coffee and tea' },
	{ url: 'https://trail-notes.example', niche: 'outdoor' },
	{ url: 'https://small-budget.example', niche: 'personal finance' },
];

const hour = 3_600_000;

/**
 * What happened in the weeks before the first start: partner, own site, anchor and credits, and how many days before it was
 * offered, accepted, published and broken, as far as it was.
 */
type Story = [string, 0 | 1 | 2, string, number, ...daysBefore: number[]];

const stories: Story[] = [
	['bean-atlas', 0, 'the best hand grinders', 10, 27, 26, 25],
	['peak-diary', 1, 'a packing list that works', 15, 24, 23, 21],
	['thrifty-week', 2, 'budgeting without spreadsheets', 10, 20, 19, 18, 2],
	['hut-to-hut', 1, 'weekend routes', 5, 12, 8, 6],
	['kettle-review', 0, 'how to brew at home', 10, 9, 5, 3],
	['ledger-lane', 2, 'a simple emergency fund', 20, 8, 1],
	['tent-talk', 1, 'lightweight tents', 10, 5],
	['lucky-spins', 2, 'best online casino bonus', 5, 3],
	['leaf-letters', 0, 'green tea for beginners', 10, 2],
	['map-room', 1, 'reading a contour map', 15, 1],
];

/**
 * Lets the account's history happen by the service's own rules, on a clock that ends now, without deliveries. The same seed gives
 * the same IDs.
 *
 * @param credits the opening balance
 * @param now milliseconds since 1970
 */
export function fillDemoAccount(
	store: Store,
	seed: number | string,
	credits: number,
	now: number,
): void {
	let moment = now - 30 * 24 * hour;
	const clock = () => moment;
	const ledger = new Credits(store, clock);
	const sites = new Sites(store, clock);
	const exchanges = new Exchanges(store, clock);
	const accepts = new Accepts(store, clock, ledger, exchanges);
	const watchdog = new Watchdog(store, clock);

	const idOf = ([partner]: Story) =>
		`exc_${createHash('sha256').update(`${seed} ${partner}`).digest('base64url').slice(0, 12)}`;
	/** What happens to each offer, by the day on which it does. */
	const events = stories.flatMap((story) => {
		const id = idOf(story);
		const [, , , , offered, accepted, published, broken] = story;
		return [
			{ day: offered, happen: () => void exchanges.request({ ...offerOf(story), id }) },
			{ day: accepted, happen: () => void accepts.accept(id, resolveDialect('plain')) },
			{ day: published, happen: () => void exchanges.publish(id) },
			{
				day: broken,
				happen: () => {
					exchanges.removeLink(id);
					exchanges.check();
					const { toSite, liveUrl = '' } = exchanges.get(id);
					const detail = `The link to ${toSite} is gone from ${liveUrl}.`;
					watchdog.record({ exchangeId: id, severity: 'critical', type: 'link_removed', detail });
				},
			},
		];
	});

	store.transaction(() => {
		ledger.enter(credits, 'opening');
		for (const site of ownSites) sites.add(site, { outcome: 'verified', delayMilliseconds: 0 });
		sites.finishVerifications();
		for (const { day = 0, happen } of events
			.filter(({ day }) => day !== undefined)
			.sort((one, other) => (other.day ?? 0) - (one.day ?? 0))) {
			moment = now - day * 24 * hour;
			happen();
		}
	});
}

/** An offer as one might come in: each of its own partner and anchor, for one of the account's sites in turn. */
export function nextOffer(number: number, sites: { url: string }[]): NewExchange {
	const story = stories[number % stories.length];
	if (story === undefined) return {};
	const offer = offerOf(story, Math.floor(number / stories.length));
	const isOwn = sites.some(({ url }) => url === offer.toSite);
	return isOwn ? offer : { ...offer, toSite: sites[number % Math.max(1, sites.length)]?.url };
}

/** In later rounds, the partners have a number. */
function offerOf([partner, site, anchor, cost]: Story, round = 0): NewExchange {
	const name = round === 0 ? partner : `${partner}-${round + 1}`;
	return { fromSite: `https://${name}.example/`, toSite: ownSites[site]?.url, anchor, cost };
}
