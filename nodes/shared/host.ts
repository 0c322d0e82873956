import { isObject } from './response';

/**
 * The host name of a site, which is what two ways to write it have in common: without scheme, user, port, path, `www.` and
 * the dot at the end, in lower case, as browsers read it (NFKC, Punycode). The format of from_site and to_site is not
 * documented (service-api.md, "Exchange"): a text, or an object with a URL or an ID. An ID such as site_1a2b is its own name.
 * @returns undefined when it cannot be read for certain
 */
export function hostOf(site: unknown): string | undefined {
	const address = isObject(site) ? (site.url ?? site.id) : site;
	if (typeof address !== 'string') return undefined;
	const text = address.normalize('NFKC').trim();
	if (text === '' || /[\p{C}\s]/u.test(text)) return undefined;
	const url = `https://${text.replace(/^([a-z][a-z\d+.-]*:)?[\\/]{2}/i, '')}`;
	if (!URL.canParse(url)) return undefined;
	const host = new URL(url).hostname.replace(/\.+$/, '').replace(/^www\./, '');
	return host === '' ? undefined : host;
}

/** Whether a host is one of these, or below one of them. */
export function isHostOf(
	host: string,
	hosts: readonly string[],
	{ includeSubdomains }: { includeSubdomains: boolean },
): boolean {
	return hosts.some((each) => host === each || (includeSubdomains && host.endsWith(`.${each}`)));
}
