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

/** What happened in the weeks before the first start, the earliest offer first; all in days before it. */
interface Story {
	partner: string;
	/** Which of the own sites. */
	site: 0 | 1 | 2;
	anchor: string;
	cost: number;
	offered: number;
	accepted?: number;
	published?: number;
	broken?: number;
}

const stories: Story[] = [
	{
		partner: 'bean-atlas',
		site: 0,
		anchor: 'the best hand grinders',
		cost: 10,
		offered: 27,
		accepted: 26,
		published: 25,
	},
	{
		partner: 'peak-diary',
		site: 1,
		anchor: 'a packing list that works',
		cost: 15,
		offered: 24,
		accepted: 23,
		published: 21,
	},
	{
		partner: 'thrifty-week',
		site: 2,
		anchor: 'budgeting without spreadsheets',
		cost: 10,
		offered: 20,
		accepted: 19,
		published: 18,
		broken: 2,
	},
	{
		partner: 'hut-to-hut',
		site: 1,
		anchor: 'weekend routes',
		cost: 5,
		offered: 12,
		accepted: 8,
		published: 6,
	},
	{
		partner: 'kettle-review',
		site: 0,
		anchor: 'how to brew at home',
		cost: 10,
		offered: 9,
		accepted: 5,
		published: 3,
	},
	{
		partner: 'ledger-lane',
		site: 2,
		anchor: 'a simple emergency fund',
		cost: 20,
		offered: 8,
		accepted: 1,
	},
	{ partner: 'tent-talk', site: 1, anchor: 'lightweight tents', cost: 10, offered: 5 },
	{ partner: 'lucky-spins', site: 2, anchor: 'best online casino bonus', cost: 5, offered: 3 },
	{ partner: 'leaf-letters', site: 0, anchor: 'green tea for beginners', cost: 10, offered: 2 },
	{ partner: 'map-room', site: 1, anchor: 'reading a contour map', cost: 15, offered: 1 },
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

	const idOf = ({ partner }: Story) =>
		`exc_${createHash('sha256').update(`${seed} ${partner}`).digest('base64url').slice(0, 12)}`;
	/** What happens to each offer, by the day on which it does. */
	const events = stories.flatMap((story) => {
		const id = idOf(story);
		const { offered, accepted, published, broken } = story;
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
	const toSite = sites[number % Math.max(1, sites.length)]?.url;
	const usual = story && offerOf(story);
	const ownSite = sites.find(({ url }) => url === usual?.toSite)?.url ?? toSite;
	const round = Math.floor(number / stories.length);
	const fromSite = `https://${story?.partner ?? 'partner'}${round === 0 ? '' : `-${round + 1}`}.example/`;
	return { ...usual, fromSite, toSite: ownSite };
}

function offerOf({ partner, site, anchor, cost }: Story): NewExchange {
	return { fromSite: `https://${partner}.example/`, toSite: ownSites[site]?.url, anchor, cost };
}
