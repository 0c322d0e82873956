/**
 * Names right under the country codes below which everybody can get a site of their own, as in co.uk and com.au. Read in
 * the Public Suffix List of November 2026 (publicsuffix.org): the common ones, and me.uk.
 */
const underCountries: ReadonlySet<string> = new Set(
	'ac co com edu gen go gob gouv gov gv ind ltd me mil ne net nom or org plc sch web'.split(' '),
);

/** Hosts that give each of their users a subdomain, of November 2026. */
const platforms: ReadonlySet<string> = new Set(
	'blogspot.com canalblog.com firebaseapp.com github.io gitlab.io hatenablog.com herokuapp.com jimdofree.com livejournal.com myshopify.com netlify.app over-blog.com pages.dev substack.com tumblr.com typepad.com vercel.app web.app webflow.io weebly.com wixsite.com wordpress.com'.split(
		' ',
	),
);

/**
 * Whether sites of many strangers are below a host, so that it is nobody's site itself. The list is short on purpose
 * (docs/decisions/0012-accept-many.md).
 */
export function isShared(host: string): boolean {
	const [, name = ''] = /^([a-z]+)\.[a-z]{2}$/.exec(host) ?? [];
	return underCountries.has(name) || platforms.has(host);
}
