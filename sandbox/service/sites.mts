import { createHash } from 'node:crypto';

import { ServiceError } from '../errors.mts';
import type { Verification } from '../settings.mts';
import type { Site } from '../store/records.mts';
import type { Store } from '../store/store.mts';

export interface NewSite {
	/** Absolute http or https URL. */
	url: string;
	niche: string;
}

/**
 * Adds a site to the account.
 *
 * @param verification its outcome and delay
 * @throws {ServiceError} for an invalid URL, an empty niche, or a site that the account has already
 */
export function addSite(
	store: Store,
	{ url, niche }: NewSite,
	{ outcome, delayMilliseconds }: Verification,
	createdAt = store.now(),
): Site {
	const parsed = URL.parse(url);
	if (!parsed || !/^https?:$/.test(parsed.protocol)) {
		throw new ServiceError(
			422,
			'invalid_url',
			'The URL of the site must start with http:// or https://.',
		);
	}
	if (niche.trim() === '') {
		throw new ServiceError(422, 'invalid_niche', 'The niche must not be empty.');
	}
	// Normalized, so that another spelling of the URL is the same site.
	const address = parsed.href;
	const [existing] = store.rows<Site & { address: string }>('sites', { address });
	if (existing) {
		const message = `This site is already in your account. Its ID is ${existing.id}.`;
		throw new ServiceError(409, 'site_exists', message);
	}
	const digest = createHash('sha256').update(url).digest();
	const site: Site = {
		id: `site_${digest.toString('hex').slice(0, 12)}`,
		url,
		niche,
		dr: digest.readUInt16BE() % 101,
		createdAt,
		verifiedAt: outcome === 'verified' ? createdAt + delayMilliseconds : undefined,
	};
	store.insert('sites', { ...site, address });
	return site;
}
