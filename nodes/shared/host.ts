import { isObject } from './response';

/** What is left of an address is a name of at least two parts, or IPv6: `*.tea.example` and `a.example;b.example` are neither. */
const certainHost = /^([a-z\d_-]+(\.[a-z\d_-]+)+|\[[\da-f:.]+\])$/;

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
	// No address has neither a dot nor a colon: 17 is an ID, not the host 0.0.0.17.
	if (/^[\w-]+$/.test(text)) return text;
	if (/[\p{C}\s]/u.test(text)) return undefined;
	const [authority = ''] = text.replace(/^([a-z][a-z\d+.-]*:)?[\\/]{2}/i, '').split(/[\\/?#]/, 1);
	const url = `https://${authority}`;
	if (!URL.canParse(url)) return undefined;
	const host = new URL(url).hostname.replace(/\.+$/, '').replace(/^www\.(?=[^.]+\.)/, '');
	return certainHost.test(host) ? host : undefined;
}

/** Whether a host is one of these, or below one of them. */
export function isHostOf(
	host: string,
	hosts: readonly string[],
	{ includeSubdomains }: { includeSubdomains: boolean },
): boolean {
	return hosts.some((each) => host === each || (includeSubdomains && host.endsWith(`.${each}`)));
}
