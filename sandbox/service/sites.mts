import { createHash } from 'node:crypto';

import { ServiceError } from '../errors.mts';
import type { Verification } from '../settings.mts';
import { type Site, siteIdOf } from '../store/records.mts';
import { integer, type Row, type Store, text } from '../store/store.mts';

export interface NewSite {
	/** Absolute http or https URL. */
	url: string;
	niche: string;
	/** 0 to 100; by default it follows from the URL. */
	dr?: number;
	createdAt?: number;
}

/** The account's sites and their verification. */
export class Sites {
	readonly #store: Store;
	readonly #clock: () => number;

	constructor(store: Store, clock: () => number) {
		this.#store = store;
		this.#clock = clock;
	}

	/** @throws ServiceError for an address that is no http(s) URL, an empty niche, or a site that the account has already */
	add(site: NewSite, verification: Verification): Site {
		const address = URL.parse(site.url);
		if (!address || !/^https?:$/.test(address.protocol)) {
			throw new ServiceError(
				422,
				'invalid_url',
				'The url has to be absolute and begin with http:// or https://.',
			);
		}
		if (site.niche.trim() === '') {
			throw new ServiceError(422, 'invalid_niche', 'The niche must not be empty.');
		}
		const existing = this.#store.get('SELECT id FROM sites WHERE normalised_url = ?', address.href);
		if (existing) {
			throw new ServiceError(
				409,
				'site_exists',
				`This site is in your account already, as ${text(existing, 'id')}.`,
			);
		}
		const createdAt = site.createdAt ?? this.#clock();
		const id = siteIdOf(site.url);
		this.#store.run(
			`INSERT INTO sites (id, url, normalised_url, niche, dr, verified, created_at, verification_due_at, verification_outcome)
			VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)`,
			id,
			site.url,
			address.href,
			site.niche,
			site.dr ?? ratingOf(site.url),
			createdAt,
			createdAt + verification.delayMilliseconds,
			verification.outcome,
		);
		return this.get(id);
	}

	/** The sites, in the order in which they were added. */
	list(): Site[] {
		return this.#store.all('SELECT * FROM sites ORDER BY number').map(site);
	}

	get(id: string): Site {
		const row = this.#store.get('SELECT * FROM sites WHERE id = ?', id);
		if (!row) {
			throw new ServiceError(404, 'site_not_found', `There is no site ${id} in your account.`);
		}
		return site(row);
	}

	/** Ends the verifications whose time has come, and returns their sites. That time is in the store, so a restart loses none. */
	finishVerifications(): Site[] {
		const now = this.#clock();
		const due = this.#store.all('SELECT id FROM sites WHERE verification_due_at <= ?', now);
		if (due.length === 0) return [];
		this.#store.run(
			"UPDATE sites SET verified = (verification_outcome = 'verified'), verification_due_at = NULL WHERE verification_due_at <= ?",
			now,
		);
		return due.map((row) => this.get(text(row, 'id')));
	}
}

function ratingOf(url: string): number {
	return createHash('sha256').update(url).digest().readUInt16BE() % 101;
}

function site(row: Row): Site {
	return {
		id: text(row, 'id'),
		url: text(row, 'url'),
		niche: text(row, 'niche'),
		dr: integer(row, 'dr'),
		verified: integer(row, 'verified') === 1,
		createdAt: integer(row, 'created_at'),
	};
}
