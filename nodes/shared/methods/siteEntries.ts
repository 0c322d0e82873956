import type { IDataObject, INodeListSearchItems } from 'n8n-workflow';

import { compactParts, formatSite, quote, sanitize } from '../formatting/message';
import { parseSiteName } from '../sites/siteUrl';
import { isId } from '../utils/ids';
import { encodeSeparators, trimWords } from '../utils/text';

/**
 * Returns the sites of the account as entries of a list in n8n's editor.
 *
 * The value is the URL of a site, or its ID if it has none.
 */
export function toSiteEntries(sites: readonly IDataObject[]): INodeListSearchItems[] {
	return sites.map((site) => {
		const name = [site.url, site.id].find((value) => parseSiteName(value) !== undefined) ?? '';
		const id = site.id !== name && isId(site.id) && sanitize(String(site.id), 60);
		const parts = compactParts(formatSite(site), quote(site.niche), id);
		return {
			name: parts.join(' · '),
			value: encodeSeparators(trimWords(String(name))),
		};
	});
}
