import type { IDataObject } from 'n8n-workflow';

import { formatSiteCell } from '../../../shared/formatting/cells';
import { getPageUrl } from '../../../shared/formatting/pageUrl';
import { getExchangeEnds } from '../../../shared/utils/direction';
import { getId } from '../../../shared/utils/ids';
import type { OwnSites } from '../../../shared/utils/siteIdentity';
import { withLeadingFields } from '../../helpers/withLeadingFields';

/**
 * Builds the item of an exchange: the fields that don't depend on the form of the service's record,
 * then the service's own fields unchanged. A field that isn't known is left out.
 */
export function exchangeToItem(exchange: IDataObject, ownSites: OwnSites): IDataObject {
	const { direction, partner, site } = getExchangeEnds(exchange, ownSites);
	const fields = {
		exchangeId: getId(exchange),
		direction,
		partner: formatSiteCell(partner),
		site: formatSiteCell(site),
		link: getPageUrl(exchange),
	};
	return withLeadingFields(fields, exchange);
}
