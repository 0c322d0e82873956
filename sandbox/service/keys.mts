import { randomBytes } from 'node:crypto';

import { InvalidSettingError } from '../errors.mts';
import type { ApiKey } from '../store/records.mts';
import type { Store } from '../store/store.mts';

/**
 * Creates an API key, or returns the existing one.
 *
 * Keys are stored in plain text: they are valid only for this sandbox, and the dashboard shows
 * them.
 *
 * @throws {InvalidSettingError} if the key isn't a valid header value, or was revoked
 */
export function createKey(
	store: Store,
	name = 'API key',
	key = `pbx_${randomBytes(24).toString('base64url')}`,
): ApiKey {
	if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
		throw new InvalidSettingError(
			'An API key must have 1 to 200 letters, digits and signs, and no spaces.',
		);
	}
	const existing = findKey(store, key);
	if (existing?.revokedAt !== undefined) {
		throw new InvalidSettingError('This API key is revoked. Choose another key.');
	}
	if (existing) return existing;
	const created = { name, key, createdAt: store.now(), revokedAt: undefined };
	return { ...created, id: store.insert('keys', created) };
}

export function findKey(store: Store, key: string): ApiKey | undefined {
	return store.rows<ApiKey>('keys', { key })[0];
}
