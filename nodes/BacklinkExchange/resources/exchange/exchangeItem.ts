import type { IDataObject } from 'n8n-workflow';

import type { Exchange } from '../../../shared/api/exchange';
import { withLeadingFields } from '../../helpers/withLeadingFields';
import { formatExchange, formatExchangeTitle, type MessageContext } from './exchangeMessage';

/**
 * Builds the item of an exchange: the fields that don't depend on the form of the service's record,
 * then the service's own fields unchanged. A field that isn't known is left out.
 */
export function exchangeToItem(exchange: Exchange, context: MessageContext): IDataObject {
	const fields = {
		message: formatExchange(exchange, context),
		title: formatExchangeTitle(exchange),
		exchangeId: exchange.id,
		direction: exchange.direction,
		partner: exchange.partner.label,
		site: exchange.site.label,
		link: exchange.pageUrl,
	};
	return withLeadingFields(fields, exchange.record);
}
