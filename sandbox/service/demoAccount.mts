/** Demo data for a new store, and the offers that the dashboard creates. */
import { createHash } from 'node:crypto';

import type { Direction } from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { addLedgerEntry } from './credits.mts';
import { getPageUrl, type NewExchange } from './exchanges.mts';
import { addSite } from './sites.mts';
import { createAlert, recordAlert } from './watchdog.mts';

const ownSites = [
	{ url: 'https://slow-coffee.example', niche: 'coffee and tea' },
	{ url: 'https://trail-notes.example', niche: 'outdoor' },
	{ url: 'https://small-budget.example', niche: 'personal finance' },
] as const;

/** This site is added when the account is filled, and its verification takes a minute. */
const newSite = { url: 'https://balcony-greens.example', niche: 'gardening' };
const verificationMilliseconds = 60_000;

const day = 86_400_000;

/**
 * An exchange of the past weeks: partner, own site, anchor, cost, and how many days ago it was
 * offered, accepted, published and broken. Later stages may be missing.
 */
type Story = [string, 0 | 1 | 2, string, number, daysOffered: number, ...daysBefore: number[]];

const stories: Story[] = [
	['bean-atlas', 0, 'the best hand grinders', 8.5, 27, 26, 25, 9],
	['peak-diary', 1, 'a packing list that works', 12, 24, 23, 21],
	['thrifty-week', 2, 'budgeting without spreadsheets', 10, 20, 19, 18, 2],
	// Accepted ten days ago, and still not published.
	['summit-letter', 1, 'what to do when it rains', 6, 14, 10],
	['pantry-plan', 2, 'a shopping list for a week', 8, 13, 10],
	['hut-to-hut', 1, 'weekend routes', 4.5, 12, 8, 6],
	['kettle-review', 0, 'how to brew at home', 10, 9, 5, 3],
	['ledger-lane', 2, 'a simple emergency fund', 11, 8, 1],
	['tent-talk', 1, 'lightweight tents', 10, 5],
	['lucky-spins', 2, 'best online casino bonus', 1, 3],
	['leaf-letters', 0, 'green tea for beginners', 7.5, 2],
	['map-room', 1, 'reading a contour map', 12, 1],
];

/** Alerts of the past weeks, oldest first: type, partner, and how many days ago. */
const alerts: [type: string, partner: string, daysBefore: number][] = [
	['anchor_changed', 'peak-diary', 12],
	['page_gone', 'bean-atlas', 9],
	['slow_page', 'peak-diary', 5],
	['nofollow', 'hut-to-hut', 4],
	['noindex', 'kettle-review', 2.5],
	['link_removed', 'thrifty-week', 2],
];

/** Exchanges that the user offered to partners; they cost nothing. */
const outgoingStories: Story[] = [
	['cabin-weekly', 1, 'huts with a view', 0, 16, 15, 10],
	['penny-garden', 2, 'a balcony garden on a budget', 0, 4],
	['roast-report', 0, 'how fresh beans should be', 0, 2],
];

/**
 * Adds the account's history, which ends now. The same seed gives the same IDs.
 *
 * @param credits opening balance
 */
export function fillDemoAccount(store: Store, seed: number | string, credits: number): void {
	const now = store.now();
	const before = (days: number) => now - days * day;
	const verified = { outcome: 'verified', delayMilliseconds: 0 } as const;
	store.transaction(() => {
		addLedgerEntry(store, credits, 'opening', undefined, before(30));
		for (const site of ownSites) addSite(store, site, verified, before(30));
		addSite(store, newSite, { ...verified, delayMilliseconds: verificationMilliseconds });
		const ids = new Map<string, string>();
		for (const { direction, story } of getHistory()) {
			const [partner, , , , ...days] = story;
			const [createdAt, acceptedAt, publishedAt] = days.map(before);
			const hash = createHash('sha256').update(`${seed} ${partner}`).digest('hex');
			const offer = createStoryOffer(story, direction);
			const id = `exc_${hash.slice(0, 12)}`;
			const liveUrl = publishedAt === undefined ? undefined : getPageUrl(offer, id);
			const status = ['pending', 'accepted', 'live', 'broken'][days.length - 1];
			const times = { createdAt, acceptedAt, publishedAt };
			const exchange = { ...offer, id, direction, status, liveUrl, ...times };
			store.insert('exchanges', exchange);
			ids.set(partner, id);
			if (acceptedAt !== undefined) {
				addLedgerEntry(store, -offer.cost, 'exchange_accepted', id, acceptedAt);
			}
		}
		for (const [type, partner, days] of alerts) {
			recordAlert(store, createAlert(ids.get(partner) ?? '', type), before(days));
		}
	});
}

/**
 * Returns the offer with this number.
 *
 * Partners and anchors differ from one offer to the next, and the account's sites take turns.
 *
 * @param toSite site of the account that the offer is for; default: any
 */
export function nextOffer(number: number, sites: { url: string }[], toSite?: string): NewExchange {
	const fitting = stories.filter(([, site]) => ownSites[site].url === toSite);
	const choices = fitting.length === 0 ? stories : fitting;
	const story = choices[number % choices.length];
	if (story === undefined) return {};
	const offer = createStoryOffer(story, 'incoming', Math.floor(number / choices.length));
	if (toSite !== undefined) return { ...offer, toSite };
	const isOwn = sites.some(({ url }) => url === offer.toSite);
	return isOwn ? offer : { ...offer, toSite: sites[number % Math.max(1, sites.length)]?.url };
}

/**
 * Returns the outgoing offer with this number. Partners and anchors differ from one to the next.
 */
export function nextOfferToPartner(number: number, sites: { url: string }[]): NewExchange {
	const story = outgoingStories[number % outgoingStories.length];
	if (story === undefined) return {};
	const round = Math.floor(number / outgoingStories.length);
	const offer = createStoryOffer(story, 'outgoing', round);
	const isOwn = sites.some(({ url }) => url === offer.fromSite);
	return isOwn ? offer : { ...offer, fromSite: sites[number % Math.max(1, sites.length)]?.url };
}

/** Returns the stories in both directions, oldest first. */
function getHistory(): { direction: Direction; story: Story }[] {
	const history = [
		...stories.map((story) => ({ direction: 'incoming' as const, story })),
		...outgoingStories.map((story) => ({ direction: 'outgoing' as const, story })),
	];
	return history.sort((one, other) => other.story[4] - one.story[4]);
}

/**
 * Creates an offer from a story.
 *
 * @param round later rounds add a number to the partner
 */
function createStoryOffer([partner, site, anchor, cost]: Story, direction: Direction, round = 0) {
	const partnerUrl = `https://${round === 0 ? partner : `${partner}-${round + 1}`}.example/`;
	const ownUrl = ownSites[site].url;
	const isIncoming = direction === 'incoming';
	const fromSite = isIncoming ? partnerUrl : ownUrl;
	return { fromSite, toSite: isIncoming ? ownUrl : partnerUrl, anchor, cost };
}
