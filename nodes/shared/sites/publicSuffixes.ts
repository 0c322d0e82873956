/**
 * Second-level domains such as `co` in co.uk, below which anyone can register a site: the common
 * ones, and `me`, from the Public Suffix List (publicsuffix.org) of November 2026.
 */
const secondLevelDomains: ReadonlySet<string> = new Set(
	'ac co com edu gen go gob gouv gov gv ind ltd me mil ne net nom or org plc sch web'.split(' '),
);

/** Hosting platforms that give each user a subdomain, as of November 2026. */
const hostingPlatforms: ReadonlySet<string> = new Set(
	'blogspot.com canalblog.com firebaseapp.com github.io gitlab.io hatenablog.com herokuapp.com jimdofree.com livejournal.com myshopify.com netlify.app over-blog.com pages.dev substack.com tumblr.com typepad.com vercel.app web.app webflow.io weebly.com wixsite.com wordpress.com'.split(
		' ',
	),
);

/**
 * Returns whether a host is a public suffix: its subdomains belong to many owners, so it isn't a
 * site itself.
 *
 * The lists are short. They catch a comma typed instead of a dot: `tea-blog,co.uk` would allow all
 * of `co.uk`.
 */
export function isPublicSuffix(host: string): boolean {
	const [, name = ''] = /^([a-z]+)\.[a-z]{2}$/.exec(host) ?? [];
	return secondLevelDomains.has(name) || hostingPlatforms.has(host);
}
