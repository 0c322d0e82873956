import { createHash, randomBytes } from 'node:crypto';

import { InvalidSetting } from '../errors.mts';
import type { ApiKey } from '../store/records.mts';
import { integer, optionalInteger, type Row, type Store, text } from '../store/store.mts';

/**
 * API keys, made and revoked in the dashboard. They are kept readable, because they open nothing but this sandbox and its user has
 * to be able to copy one again; a request's key is looked up by its digest, so that no comparison runs along the key itself.
 */
export class ApiKeys {
	readonly #store: Store;
	readonly #clock: () => number;

	constructor(store: Store, clock: () => number) {
		this.#store = store;
		this.#clock = clock;
	}

	/** @throws InvalidSetting when the key could not stand in a header, or was revoked */
	create(name = 'API key', key = `pbx_${randomBytes(24).toString('base64url')}`): ApiKey {
		if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
			throw new InvalidSetting(
				'An API key consists of 1 to 200 letters, digits and signs, without blanks.',
			);
		}
		const existing = this.#store.get('SELECT * FROM api_keys WHERE digest = ?', digest(key));
		if (existing) {
			if (existing.revoked_at !== null) {
				throw new InvalidSetting('This API key was revoked. Choose another one.');
			}
			return apiKey(existing);
		}
		const createdAt = this.#clock();
		const id = this.#store.insert(
			'INSERT INTO api_keys (name, key, digest, created_at) VALUES (?, ?, ?, ?)',
			name,
			key,
			digest(key),
			createdAt,
		);
		return { id, name, key, createdAt, revokedAt: undefined };
	}

	/** Returns the key as it is now; undefined when there is none. Revoking twice does nothing. */
	revoke(id: number): ApiKey | undefined {
		this.#store.run(
			'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
			this.#clock(),
			id,
		);
		const row = this.#store.get('SELECT * FROM api_keys WHERE id = ?', id);
		return row && apiKey(row);
	}

	find(key: string): ApiKey | undefined {
		const row = this.#store.get('SELECT * FROM api_keys WHERE digest = ?', digest(key));
		return row && apiKey(row);
	}

	list(): ApiKey[] {
		return this.#store.all('SELECT * FROM api_keys ORDER BY id').map(apiKey);
	}
}

function digest(key: string): string {
	return createHash('sha256').update(key).digest('hex');
}

function apiKey(row: Row): ApiKey {
	return {
		id: integer(row, 'id'),
		name: text(row, 'name'),
		key: text(row, 'key'),
		createdAt: integer(row, 'created_at'),
		revokedAt: optionalInteger(row, 'revoked_at'),
	};
}
