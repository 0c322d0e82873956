import type { IDataObject } from 'n8n-workflow';

import { parsePageUrl } from '../formatting/pageUrl';
import { OwnSites } from '../sites/ownSites';
import { parseSite, type Site } from '../sites/site';
import { getId } from '../utils/ids';
import { firstTimestamp, parseEpochSeconds } from '../utils/time';
import {
	type ExchangeStatus,
	getMostAdvanced,
	getStatus,
	type Status,
} from './forms/exchangeStatus';

export type Direction = 'incoming' | 'outgoing';

/** The two sites of an exchange, and which of them is yours. */
interface Ends {
	direction: Direction;
	site: Site;
	partner: Site;
	from: Site;
	to: Site;
}

const noSites = new OwnSites([]);

/** Fields that may show when an exchange was offered; none is documented (service-api.md). */
const requestTimes = ['requested_at', 'created_at'];

/** Documented fields that a delivery may know better than the list (service-api.md, "Exchange"). */
const payloadFields = ['from_site', 'to_site', 'anchor', 'live_url', 'accepted_at', 'published_at'];

/** Parsed records, because items of a run search the same list. */
const parsed = new WeakMap<IDataObject, Exchange>();

/**
 * An exchange as the service shows it. Immutable. Only this file knows how the service writes one.
 *
 * What takes long to parse is parsed when it's first asked for: a poll compares 10,000 exchanges by
 * ID, status and times, and looks at the sites of few.
 */
export class Exchange {
	/** `undefined` if the record has none that can be used. */
	readonly id: string | undefined;

	readonly status: Status | undefined;

	/** Times are in epoch seconds. */
	readonly acceptedAt: number | undefined;

	readonly publishedAt: number | undefined;

	/** As received, for Get, Get Many and Include Record. */
	readonly record: IDataObject;

	readonly #ownSites: OwnSites | undefined;

	#ends: Ends | undefined;

	private constructor(record: IDataObject, ownSites: OwnSites | undefined) {
		this.id = getId(record);
		this.status = getStatus(record);
		this.acceptedAt = parseEpochSeconds(record.accepted_at);
		this.publishedAt = parseEpochSeconds(record.published_at);
		this.record = record;
		this.#ownSites = ownSites;
	}

	/**
	 * Parses an exchange from all its records, of which the most advanced one counts; among equals
	 * the last, which was fetched last. A closed record is more advanced than a pending one.
	 *
	 * @param ownSites without them, the direction isn't known, and `from_site` is the partner
	 */
	static parse(records: readonly IDataObject[], ownSites?: OwnSites): Exchange {
		const record = getMostAdvanced(records);
		const known = parsed.get(record);
		if (known !== undefined && known.#ownSites === ownSites) return known;
		const exchange = new Exchange(record, ownSites);
		parsed.set(record, exchange);
		return exchange;
	}

	/**
	 * The list "for the user's sites" may hold offers in both directions, and only incoming ones are
	 * accepted (service-api.md, "Endpoints"). An exchange is outgoing only if `from_site` is one of
	 * your sites and `to_site` is not: then nothing that you may have to decide is hidden.
	 *
	 * @returns `undefined` without the sites of the account, as in a delivery
	 */
	get direction(): Direction | undefined {
		return this.#ownSites && this.#getEnds().direction;
	}

	/** The direction, if your site is recognized: only then it's plain who made the offer. */
	get certainDirection(): Direction | undefined {
		return this.site.own && this.direction;
	}

	/** Your site; `to_site` if neither end is one of your sites. */
	get site(): Site {
		return this.#getEnds().site;
	}

	get partner(): Site {
		return this.#getEnds().partner;
	}

	/** Whether at least one of its sites is yours. */
	get hasOwnSite(): boolean {
		return (this.site.own ?? this.partner.own) !== undefined;
	}

	/** Names of the site that offers the exchange, and of the one that receives it. */
	get route(): readonly [from: string | undefined, to: string | undefined] {
		const { from, to } = this.#getEnds();
		return [from.label, to.label];
	}

	/** `undefined` if it isn't text or a number. */
	get anchor(): string | undefined {
		const { anchor } = this.record;
		return typeof anchor === 'string' || typeof anchor === 'number' ? String(anchor) : undefined;
	}

	/** URL of the page with the link. */
	get pageUrl(): string | undefined {
		return parsePageUrl(this.record.live_url);
	}

	get requestedAt(): number | undefined {
		return firstTimestamp(this.record, requestTimes);
	}

	/** When it reached its status, if a documented field shows that: not that of an offer. */
	get statusSince(): number | undefined {
		const { status, acceptedAt, publishedAt } = this;
		if (status === 'accepted') return acceptedAt;
		return status === 'live' || status === 'broken' ? (publishedAt ?? acceptedAt) : undefined;
	}

	/** Whether it was accepted at any time. Its status may not show that. */
	get wasAccepted(): boolean {
		return this.acceptedAt !== undefined || this.isAccepted || this.status === 'broken';
	}

	/** Whether it is an accepted offer, for which credits were spent. */
	get isAccepted(): boolean {
		return isAcceptedStatus(this.status);
	}

	/** Returns the exchange with these fields, for example those of a response. */
	with(fields: IDataObject): Exchange {
		return new Exchange({ ...this.record, ...fields }, this.#ownSites);
	}

	/** Returns the exchange with what a delivery shows of it, which may be newer than the list. */
	withPayload(payload: IDataObject): Exchange {
		const shown = payloadFields.filter((field) => (payload[field] ?? '') !== '');
		return this.with(Object.fromEntries(shown.map((field) => [field, payload[field]])));
	}

	#getEnds(): Ends {
		this.#ends ??= parseEnds(this.record, this.#ownSites ?? noSites);
		return this.#ends;
	}
}

/** Statuses of an accepted offer, for which credits were spent. */
export const acceptedStatuses = ['accepted', 'live'] as const satisfies ExchangeStatus[];

export function isAcceptedStatus(status: Status | undefined): boolean {
	return acceptedStatuses.some((each) => each === status);
}

function parseEnds({ from_site, to_site }: IDataObject, ownSites: OwnSites): Ends {
	const from = parseSite(from_site, ownSites);
	const to = parseSite(to_site, ownSites);
	const isFromYou = from.own !== undefined && to.own === undefined;
	return {
		direction: isFromYou && ownSites.isForeign(to) ? 'outgoing' : 'incoming',
		site: isFromYou ? from : to,
		partner: isFromYou ? to : from,
		from,
		to,
	};
}
