import { randomBytes } from 'node:crypto';

import { ServiceError } from '../errors.mts';
import type { Exchange, ExchangeStatus } from '../store/records.mts';
import {
	integer,
	optionalInteger,
	optionalText,
	type Row,
	type Store,
	text,
} from '../store/store.mts';

export interface NewExchange {
	id?: string;
	/** URL of the partner's site. */
	fromSite?: string;
	/** URL of the user's site. */
	toSite?: string;
	anchor?: string;
	/** Credits that accepting deducts. */
	cost?: number;
	createdAt?: number;
}

/** Exchange offers and their states: pending → accepted → live ⇄ broken. Every other transition is refused. */
export class Exchanges {
	readonly #store: Store;
	readonly #clock: () => number;

	constructor(store: Store, clock: () => number) {
		this.#store = store;
		this.#clock = clock;
	}

	/** A partner makes an offer. @throws ServiceError for a cost that is none, or an ID that is empty or taken */
	request(offer: NewExchange): Exchange {
		const id = offer.id ?? `exc_${randomBytes(9).toString('base64url')}`;
		const cost = offer.cost ?? 10;
		const createdAt = offer.createdAt ?? this.#clock();
		if (!Number.isInteger(cost) || cost < 0) {
			throw new ServiceError(
				422,
				'invalid_cost',
				'The cost is a whole number of credits, 0 or more.',
			);
		}
		if (id === '' || this.#find(id)) {
			throw new ServiceError(
				409,
				'exchange_exists',
				`There is an exchange "${id}" already, or the id is empty.`,
			);
		}
		this.#store.run(
			"INSERT INTO exchanges (id, from_site, to_site, anchor, status, cost, created_at) VALUES (?, ?, ?, ?, 'pending', ?, ?)",
			id,
			offer.fromSite ?? 'https://partner.example/',
			offer.toSite ?? this.#ownSite(),
			offer.anchor ?? 'a good read',
			cost,
			createdAt,
		);
		return this.get(id);
	}

	/** The accept is confirmed: pending → accepted. The caller takes the credits. */
	markAccepted(id: string): Exchange {
		this.#requireIn(id, ['pending'], 'accepted');
		const now = this.#clock();
		this.#store.run(
			"UPDATE exchanges SET status = 'accepted', accepted_at = ? WHERE id = ?",
			now,
			id,
		);
		return this.get(id);
	}

	/** The partner has put the link up: accepted → live, and broken → live when it is put up again. */
	publish(id: string, liveUrl?: string): Exchange {
		const now = this.#clock();
		const exchange = this.#requireIn(id, ['accepted', 'broken'], 'published');
		const url = liveUrl ?? exchange.liveUrl ?? pageOf(exchange, id);
		this.#store.run(
			"UPDATE exchanges SET status = 'live', live_url = ?, published_at = ?, link_in_place = 1 WHERE id = ?",
			url,
			now,
			id,
		);
		return this.get(id);
	}

	/** The partner takes the link away. The state changes when the watchdog's next check notices. */
	removeLink(id: string): Exchange {
		const exchange = this.#requireIn(id, ['live'], 'broken');
		this.#store.run('UPDATE exchanges SET link_in_place = 0 WHERE id = ?', id);
		return exchange;
	}

	/** One check of all earned links: live → broken where the link is gone. Returns how many were checked and which broke. */
	check(): { checked: number; broken: Exchange[] } {
		const live = this.#store.all(
			"SELECT id, link_in_place FROM exchanges WHERE status = 'live' ORDER BY number",
		);
		const gone = live.filter((row) => row.link_in_place === 0).map((row) => text(row, 'id'));
		for (const id of gone) {
			this.#store.run("UPDATE exchanges SET status = 'broken' WHERE id = ?", id);
		}
		return { checked: live.length, broken: gone.map((id) => this.get(id)) };
	}

	/** The exchanges of a state, or all, the oldest first. */
	list(status?: ExchangeStatus): Exchange[] {
		const rows = status
			? this.#store.all('SELECT * FROM exchanges WHERE status = ? ORDER BY number', status)
			: this.#store.all('SELECT * FROM exchanges ORDER BY number');
		return rows.map(exchangeOf);
	}

	/** @throws ServiceError exchange_not_found */
	get(id: string): Exchange {
		const exchange = this.#find(id);
		if (!exchange) {
			throw new ServiceError(
				404,
				'exchange_not_found',
				`There is no exchange "${id}" among your offers.`,
			);
		}
		return exchange;
	}

	#find(id: string): Exchange | undefined {
		const row = this.#store.get('SELECT * FROM exchanges WHERE id = ?', id);
		return row && exchangeOf(row);
	}

	/**
	 * The exchange, for a change that is possible in some states only.
	 * @throws ServiceError when there is no such exchange, or it is in another state
	 */
	#requireIn(id: string, allowed: ExchangeStatus[], change: string): Exchange {
		const exchange = this.get(id);
		if (!allowed.includes(exchange.status)) {
			throw new ServiceError(
				409,
				'transition_refused',
				`The exchange ${id} is ${exchange.status}. Only one that is ${allowed.join(' or ')} can be ${change}.`,
			);
		}
		return exchange;
	}

	#ownSite(): string {
		const row = this.#store.get('SELECT url FROM sites ORDER BY number LIMIT 1');
		return row ? text(row, 'url') : 'https://your-site.example/';
	}
}

/** A page of the partner's site, which may be written in any way, also without https://. */
export function pageOf({ fromSite }: Exchange, name: string): string {
	const site = URL.canParse(fromSite) ? fromSite : `https://${fromSite}`;
	const path = `/articles/${encodeURIComponent(name)}`;
	return (URL.parse(path, site) ?? new URL(path, 'https://partner.example/')).href;
}

function exchangeOf(row: Row): Exchange {
	return {
		id: text(row, 'id'),
		fromSite: text(row, 'from_site'),
		toSite: text(row, 'to_site'),
		anchor: text(row, 'anchor'),
		status: text(row, 'status') as ExchangeStatus,
		cost: integer(row, 'cost'),
		createdAt: integer(row, 'created_at'),
		acceptedAt: optionalInteger(row, 'accepted_at'),
		liveUrl: optionalText(row, 'live_url'),
		publishedAt: optionalInteger(row, 'published_at'),
	};
}
