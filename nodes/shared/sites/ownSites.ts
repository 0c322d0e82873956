import type { IDataObject } from 'n8n-workflow';

import { isId } from '../utils/ids';
import type { Site } from './site';
import { coversUrl, parseSiteName, type SiteUrl } from './siteUrl';

/** A site of the account (service-api.md, "Site"). */
export interface OwnSite {
	id?: string;
	url?: SiteUrl;
	record: IDataObject;
}

/** Finds the account's site that a site of an exchange belongs to. */
export class OwnSites {
	readonly all: readonly OwnSite[];

	/** Monotonic. */
	readonly requestedAt: number;

	/** Whether the service has more sites than it listed. */
	readonly truncated: boolean;

	readonly #byId = new Map<string, OwnSite>();

	readonly #byHost = new Map<string, OwnSite[]>();

	constructor(
		records: readonly IDataObject[],
		{ requestedAt = -Infinity, truncated = false } = {},
	) {
		this.requestedAt = requestedAt;
		this.truncated = truncated;
		this.all = records.map((record) => ({
			id: isId(record.id) ? String(record.id).trim() : undefined,
			url: parseSiteName(record.url)?.url,
			record,
		}));
		for (const site of this.all) {
			if (site.id !== undefined) this.#byId.set(site.id, site);
			if (site.url === undefined) continue;
			this.#byHost.set(site.url.host, [...(this.#byHost.get(site.url.host) ?? []), site]);
		}
	}

	/**
	 * Returns the site with this ID or URL, or the most specific one that the URL is a page or a
	 * subdomain of.
	 */
	find({ id, url }: Pick<Site, 'id' | 'url'>): OwnSite | undefined {
		return (id === undefined ? undefined : this.#byId.get(id)) ?? (url && this.#findByUrl(url));
	}

	/** Returns whether a site that isn't found can't be one of the account's sites. */
	isForeign({ id, url, own }: Site): boolean {
		if (own !== undefined) return false;
		if (url !== undefined) return this.all.every((site) => site.url);
		return id !== undefined && this.all.some((site) => isNumber(site.id) === isNumber(id));
	}

	#findByUrl(url: SiteUrl): OwnSite | undefined {
		const labels = url.host.split('.');
		// The longest host is the most specific one.
		for (let index = 0; index < labels.length - 1; index++) {
			const candidates = this.#byHost.get(labels.slice(index).join('.')) ?? [];
			const covering = candidates.filter((site) => site.url && belongsTo(url, site.url));
			// On a site's own host, the longest path is the most specific one; a subdomain belongs to the
			// site without a path, if there is one.
			const sign = index === 0 ? -1 : 1;
			const [site] = covering.sort(
				(one, other) => sign * (getPathLength(one) - getPathLength(other)),
			);
			if (site !== undefined) return site;
		}
		return undefined;
	}
}

/** Returns whether a URL is that of a site, a page below it, or on a subdomain of its host. */
function belongsTo(url: SiteUrl, site: SiteUrl): boolean {
	if (url.host !== site.host) return url.port === site.port;
	return coversUrl(site, url, { includeSubdomains: false });
}

function getPathLength({ url }: OwnSite): number {
	return url === undefined ? 0 : url.path.length + url.query.length;
}

/** An ID that is a number can't be compared with one that has the prefix `site_`. */
function isNumber(id: string | undefined): boolean {
	return /^\d+$/.test(id ?? '');
}
