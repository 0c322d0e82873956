import { randomBytes } from 'node:crypto';

import { InvalidSettingError } from '../errors.mts';
import type { ApiKey } from '../store/records.mts';
import type { Store } from '../store/store.mts';

/**
 * Makes an API key, or finds the one that is named. Keys are kept readable, because they open nothing but this sandbox and its user
 * has to be able to copy one again.
 *
 * @throws InvalidSetting when the key could not stand in a header, or was revoked
 */
export function createKey(
	store: Store,
	name = 'API key',
	key = `pbx_${randomBytes(24).toString('base64url')}`,
): ApiKey {
	if (!/^[\x21-\x7e]{1,200}$/.test(key)) {
		throw new InvalidSettingError(
			'An API key consists of 1 to 200 letters, digits and signs, without blanks.',
		);
	}
	const existing = findKey(store, key);
	if (existing?.revokedAt !== undefined) {
		throw new InvalidSettingError('This API key was revoked. Choose another one.');
	}
	if (existing) return existing;
	const made = { name, key, createdAt: store.now(), revokedAt: undefined };
	return { ...made, id: store.insert('keys', made) };
}

export function findKey(store: Store, key: string): ApiKey | undefined {
	return store.rows<ApiKey>('keys', { key })[0];
}
