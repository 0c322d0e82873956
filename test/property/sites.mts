/**
 * Random sites with paths on a few hosts, and rules about them.
 *
 * Sites are generated in parts, and only the service and the node get them as text. So what the
 * rules allow is computed without parsing a URL, and without the code of the node.
 */
import fc from 'fast-check';

/** A site or a page. */
interface Page {
	host: string;
	path: readonly string[];
}

/** A page in one of several spellings. */
interface WrittenPage {
	page: Page;
	spelling: string;
}

/** A word in one of the spellings that readers take for the same word. */
interface WrittenWord {
	word: string;
	spelling: string;
}

interface Ends {
	from: WrittenPage;
	to: WrittenPage;
	/** The word in the anchor text. */
	anchor: WrittenWord;
}

/** The rules of one execution. */
export interface Rules {
	allowed: WrittenPage[] | undefined;
	blocked: WrittenPage[];
	chosen: Page[];
	blockedWords: WrittenWord[];
}

const host = 'host.example';
const newPages = (name: string, ...paths: string[][]): Page[] =>
	paths.map((path) => ({ host: name, path }));

/** The account always has the shop, so that its host is never only a subdomain of another site. */
const shop: Page = { host: `shop.${host}`, path: [] };
const ownSites = newPages(host, [], ['blog'], ['blogger'], ['blog', 'tea']);
const ownPages = [
	...newPages(host, [], ['blog'], ['blog', 'post'], ['blogger', 'post'], ['blog', 'tea', '1']),
	...newPages(host, ['Blog'], ['x']),
	...newPages(shop.host, ['blog']),
];
const partnerPages = [
	...newPages('pages.example', [], ['ann'], ['anna'], ['ann', 'garden'], ['Ann']),
	...newPages('ann.pages.example', ['ann']),
	...newPages('notpages.example', ['ann']),
	// A host where the account has sites, too.
	...newPages(host, ['x'], ['blogger', 'post']),
];

const write = (pages: readonly Page[]) =>
	fc.record({
		page: fc.constantFrom(...pages),
		spelling: fc.constantFrom(
			...['https://<host><path>', 'https://<host><path>/', 'http://www.<host><path>'],
			...['<host><path>', 'https://<HOST><path>', 'https://<host>:443<path>/'],
		),
	});

const words = ['casino', 'prêt', 'straße', 'istanbul', '카지노'];
const spellings: ReadonlyArray<(text: string) => string> = [
	(text) => text,
	(text) => text.normalize('NFD'),
	(text) => text.normalize('NFKD').toUpperCase(),
	(text) => text.toUpperCase().replace('SS', '\u1e9e'),
	(text) => text.replace('ß', 'ss'),
	(text) => text.replace('i', 'İ'),
	(text) => text.replace('i', 'i\u0307'),
	(text) => text.replace('i', 'ı'),
	(text) => text.replace(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
	(text) => text.replace('st', '\ufb06'),
];
const arbitraryWord = fc.constantFrom(...words).chain((word) =>
	fc.record({
		word: fc.constant(word),
		spelling: fc.constantFrom(...spellings.map((write) => write(word))),
	}),
);

/** The sites of the account, and both ends of the offers that it gets. */
export const arbitrarySites = fc.record({
	own: fc.subarray(ownSites, { minLength: 1 }).map((sites) => [...sites, shop]),
	offers: fc.array(
		fc.record({ from: write(partnerPages), to: write(ownPages), anchor: arbitraryWord }),
		{ minLength: 4, maxLength: 4 },
	),
});

const anyone = fc.constant(undefined);
const none = fc.constant<[]>([]);
/** Allowed partners; `undefined`: anyone. */
const allowed = fc.array(write(partnerPages), { maxLength: 4 });
const blocked = fc.array(write(partnerPages), { minLength: 1, maxLength: 2 });
/** Chosen sites; those that the account doesn't have are left out, and none is no rule. */
const chosen = fc.subarray([...ownSites, shop], { minLength: 1, maxLength: 3 });
const blockedWords = fc.array(arbitraryWord, { minLength: 1, maxLength: 3 });

export const arbitraryRules = fc.record({
	allowed: fc.oneof({ weight: 2, arbitrary: anyone }, { weight: 1, arbitrary: allowed }),
	blocked: fc.oneof({ weight: 3, arbitrary: none }, { weight: 1, arbitrary: blocked }),
	chosen: fc.oneof({ weight: 3, arbitrary: none }, { weight: 1, arbitrary: chosen }),
	blockedWords: fc.oneof({ weight: 3, arbitrary: none }, { weight: 1, arbitrary: blockedWords }),
});

/** One set of rules for each kind of rule. */
export const arbitraryRuleSets = fc.tuple(
	fc.record({ allowed, blocked: none, chosen: none, blockedWords: none }),
	fc.record({ allowed: anyone, blocked, chosen: none, blockedWords: none }),
	fc.record({ allowed: anyone, blocked: none, chosen, blockedWords: none }),
	fc.record({ allowed: anyone, blocked: none, chosen: none, blockedWords }),
);

export function toText({ page, spelling }: WrittenPage): string {
	return spelling
		.replace('<host>', page.host)
		.replace('<HOST>', page.host.toUpperCase())
		.replace('<path>', page.path.map((segment) => `/${segment}`).join(''));
}

export function toUrl(page: Page): string {
	return toText({ page, spelling: 'https://<host><path>' });
}

/** Returns the parameters of Accept Many for these rules. */
export function getRuleParameters(
	{ allowed, blocked, chosen, blockedWords }: Rules,
	own: readonly Page[],
) {
	const sites = getChosen(chosen, own);
	return {
		acceptFrom: allowed === undefined ? 'anyone' : 'listed',
		allowedPartners: (allowed ?? []).map(toText).join(', '),
		blockedAnchorWords: blockedWords.map(({ spelling }) => spelling).join(', '),
		rules: {
			...(blocked.length > 0 && { blockedPartners: blocked.map(toText).join(', ') }),
			...(sites.length > 0 && { yourSites: sites.map(toUrl).join(', ') }),
		},
	};
}

/** Returns whether the offer is from one of the account's sites to a partner. */
export function isOutgoing({ from, to }: Ends, own: readonly Page[]): boolean {
	return findSite(from.page, own) !== undefined && findSite(to.page, own) === undefined;
}

/** Returns whether rules allow an incoming offer. */
export function isAllowed(
	{ from, to, anchor }: Ends,
	{ allowed, blocked, chosen, blockedWords }: Rules,
	own: readonly Page[],
): boolean {
	const covers = (entry: WrittenPage) => isPartnerCovered(entry.page, from.page);
	const sites = getChosen(chosen, own);
	const site = findSite(to.page, own);
	return (
		(allowed === undefined || allowed.some(covers)) &&
		!blocked.some(covers) &&
		!blockedWords.some(({ word }) => word === anchor.word) &&
		(sites.length === 0 || (site !== undefined && sites.includes(site)))
	);
}

function getChosen(chosen: readonly Page[], own: readonly Page[]): Page[] {
	return chosen.filter((site) => own.includes(site));
}

/** Returns the account's site that a page belongs to: of several, the one with the longest path. */
function findSite(page: Page, own: readonly Page[]): Page | undefined {
	const sites = own.filter((site) => site.host === page.host && isBelow(page, site));
	return sites.sort((one, other) => other.path.length - one.path.length)[0];
}

/** An entry with a path means this path and what is below it, otherwise its subdomains, too. */
function isPartnerCovered(entry: Page, page: Page): boolean {
	const isSubdomain = entry.path.length === 0 && page.host.endsWith(`.${entry.host}`);
	return isSubdomain || (entry.host === page.host && isBelow(page, entry));
}

function isBelow(page: Page, folder: Page): boolean {
	return folder.path.every((segment, index) => segment === page.path[index]);
}
