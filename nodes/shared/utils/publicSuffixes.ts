/**
 * The names before a country code, such as `co` in co.uk, below which everybody can get a site of their own: the common ones,
 * and `me`, of the Public Suffix List (publicsuffix.org) of November 2026.
 */
const secondLevelDomains: ReadonlySet<string> = new Set(
	'ac co com edu gen go gob gouv gov gv ind ltd me mil ne net nom or org plc sch web'.split(' '),
);

/** Hosts that give each of their users a subdomain, as of November 2026. */
const hostingPlatforms: ReadonlySet<string> = new Set(
	'blogspot.com canalblog.com firebaseapp.com github.io gitlab.io hatenablog.com herokuapp.com jimdofree.com livejournal.com myshopify.com netlify.app over-blog.com pages.dev substack.com tumblr.com typepad.com vercel.app web.app webflow.io weebly.com wixsite.com wordpress.com'.split(
		' ',
	),
);

/**
 * Whether the subdomains of a host are sites of many strangers, so that it is nobody's site itself. The lists are short: they
 * catch a comma in the place of a dot, as in `tea-blog,co.uk`, which would allow all of `co.uk`.
 */
export function isPublicSuffix(host: string): boolean {
	const [, name = ''] = /^([a-z]+)\.[a-z]{2}$/.exec(host) ?? [];
	return secondLevelDomains.has(name) || hostingPlatforms.has(host);
}
