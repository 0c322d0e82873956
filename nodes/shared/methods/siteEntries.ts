import type { IDataObject, INodeListSearchItems } from 'n8n-workflow';

import { compactParts, formatSite, quote } from '../formatting/message';
import { isId } from '../utils/ids';
import { encodeSeparators, trimWords } from '../utils/text';

/**
 * Returns the sites of the account as entries of a list in n8n's editor.
 *
 * The value is the URL and ID of a site, separated by a comma and a space, because the service
 * doesn't show which of them it uses for the sites of an exchange (service-api.md, "Exchange").
 */
export function toSiteEntries(sites: readonly IDataObject[]): INodeListSearchItems[] {
	return sites.map((site) => {
		const names = [site.url, site.id].filter(isId).map((name) => trimWords(String(name)));
		const parts = compactParts(formatSite(site), quote(site.niche));
		return {
			name: parts.join(' · '),
			value: names.map(encodeSeparators).join(', '),
		};
	});
}
