import type { ExchangeEnds } from './direction';
import { isId } from './ids';
import { isObject } from './isObject';
import {
	coversSite,
	getSiteKey,
	type OwnSite,
	parseSiteIdentities,
	parseSiteIdentity,
	type SiteId,
	type SiteIdentity,
} from './siteIdentity';

/**
 * One site that a user has chosen or entered: by its URL, by its ID, or by both, because the
 * service doesn't show which of them an exchange contains (service-api.md, "Exchange").
 */
export type SiteChoice = readonly SiteIdentity[];

interface CoverageOptions {
	/** Whether a URL without a path covers the subdomains of its host. */
	includeSubdomains: boolean;
}

/** Parses the names of one site, as `ParameterReader.aliasGroups` returns them. */
export function parseSiteChoice(names: readonly string[]): SiteChoice {
	return names.map((name) => parseSiteIdentity(name) ?? { kind: 'text', id: name });
}

/** Returns the ID and the URL of an end. Text that is neither is compared as written. */
export function getEndIdentities(end: unknown): SiteIdentity[] {
	const id = isObject(end) ? end.id : end;
	const isText = isId(id) && parseSiteIdentity(id) === undefined;
	const text: SiteIdentity[] = isText ? [{ kind: 'text', id: String(id).trim() }] : [];
	return [...parseSiteIdentities(end), ...text];
}

/**
 * Returns in which form a site is identified. Sites in different forms can't be compared, because
 * the service doesn't show which ID, or which IP address, belongs to which URL.
 */
export function getForm(identity: SiteIdentity): 'url' | 'ip' | SiteId['kind'] {
	if (identity.kind !== 'url') return identity.kind;
	return /\.[a-z]/.test(identity.host) ? 'url' : 'ip';
}

/**
 * Returns whether a site that was entered covers an end of an exchange: any ID of the end, or all
 * of its URLs.
 */
export function coversEnd(choice: SiteChoice, end: unknown, options: CoverageOptions): boolean {
	const isCovered = (identity: SiteIdentity) =>
		choice.some((entry) => coversSite(entry, identity, options));
	const identities = getEndIdentities(end);
	const urls = identities.filter(({ kind }) => kind === 'url');
	const ids = identities.filter(({ kind }) => kind !== 'url');
	return ids.some(isCovered) || (urls.length > 0 && urls.every(isCovered));
}

/**
 * Returns whether your end of an exchange belongs to a site that was chosen from your sites, or
 * entered. A choice means that site alone: if another one of your sites lies below it, an end that
 * belongs to the other one isn't covered.
 */
export function coversOwnEnd(
	choice: SiteChoice,
	{ site, ownSite }: Pick<ExchangeEnds, 'site' | 'ownSite'>,
	options: CoverageOptions,
): boolean {
	if (ownSite?.url === undefined) {
		return isChosen(choice, ownSite) || coversEnd(choice, site, options);
	}
	const { url } = ownSite;
	if (isChosen(choice, ownSite)) {
		return options.includeSubdomains || isOnHost(site, url.host);
	}
	// A page or subdomain of the site was entered, which isn't a site of its own.
	const isBelow = (entry: SiteIdentity) => coversSite(url, entry, { includeSubdomains: true });
	return coversEnd(choice.filter(isBelow), site, options);
}

/** Returns whether a choice is this site of the account, by its ID or its URL. */
function isChosen(choice: SiteChoice, ownSite: OwnSite | undefined): boolean {
	if (ownSite === undefined) return false;
	const { record, url } = ownSite;
	const own = [...getEndIdentities(record.id), ...(url === undefined ? [] : [url])];
	return choice.some((entry) => own.some((identity) => isSame(identity, entry)));
}

function isSame(one: SiteIdentity, other: SiteIdentity): boolean {
	return one.kind === other.kind && getSiteKey(one) === getSiteKey(other);
}

/** Returns whether all URLs of an end are on a host, not on a subdomain of it. */
function isOnHost(end: unknown, host: string): boolean {
	return parseSiteIdentities(end).every(
		(identity) => identity.kind !== 'url' || identity.host === host,
	);
}
