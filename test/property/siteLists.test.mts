/**
 * Random lists of your sites in Accept Many: however a list is written, it never allows an offer
 * that none of its names allows on its own.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { createRules } from '../unit/action/createRules.mts';

const hosts = ['tea.example', 'garden.example', 'de.tea.example', 'tea.co.uk'];
const urls = hosts.flatMap((host) => [
	`https://${host}`,
	`${host}/de`,
	`https://www.${host}/a%2Cb`,
]);
const ids = ['site_1', 'site_2', 'SITE_1', '17', 'tea-blog', 'my shop', 'tea.example'];
const account = [
	{ id: 'site_1', url: 'https://tea.example' },
	{ id: 'site_2', url: 'https://garden.example/de' },
	{ id: 'tea-blog', url: 'https://de.tea.example' },
	{ id: 17, url: 'https://tea.co.uk' },
];

const name = fc.constantFrom(...urls, ...ids);
const end = fc.oneof(
	name,
	fc.record({ url: fc.constantFrom(...urls), id: fc.constantFrom(...ids) }, { requiredKeys: [] }),
);
/** Some names, as the entries of an array; each entry has one or more of them. */
const entries = fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), {
	minLength: 1,
	maxLength: 3,
});

/** Returns whether the rule allows the offer; `undefined` if it isn't valid. */
function isAllowed(yourSites: unknown, to_site: unknown, sites: object[]): boolean | undefined {
	const offer = { from_site: 'https://partner.example', to_site, anchor: 'tea' } as never;
	try {
		return createRules({ rules: { yourSites } }, sites as never)(offer) === 'allowed';
	} catch {
		return undefined;
	}
}

/**
 * Returns whether a name on its own allows the offer. Text that is neither a URL nor an ID is only
 * valid next to a URL, as the ID of that site, and allows an end with exactly this ID.
 */
function allowsAlone(text: string, to_site: unknown, sites: object[]): boolean {
	const result = isAllowed([text], to_site, sites);
	if (result !== undefined) return result;
	// This URL is none of the others'.
	return isAllowed([`https://unrelated.example, ${text}`], to_site, sites) === true;
}

test('a list allows nothing that none of its names allows', () => {
	const sites = fc.constantFrom(account, []);
	const property = fc.property(entries, end, sites, (names, to_site, ownSites) => {
		const joined = names.map((entry) => entry.join(', '));
		const allowed = isAllowed(joined, to_site, ownSites);
		// As text, each name stands for a site of its own.
		const asText = isAllowed(joined.join(', '), to_site, ownSites);
		if (allowed === true || asText === true) {
			expect(names.flat().some((each) => allowsAlone(each, to_site, ownSites))).toBe(true);
		}
		if (allowed === true && asText !== undefined) expect(asText).toBe(true);
	});
	fc.assert(property, { numRuns: 2000 });
});
