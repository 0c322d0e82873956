import type { INodeProperties } from 'n8n-workflow';

import { locator } from '../../../shared/descriptions/resourceLocator';
import type { Settings } from '../../../shared/parameters/parameterReader';
import { isSegment } from '../../../shared/utils/ids';

interface ExchangeField extends Pick<INodeProperties, 'description' | 'required'> {
	placeholder: string;
	hint: string;
}

/** The field in which an exchange is chosen from a list, or its ID entered. */
export function exchangeLocator(
	searchListMethod: 'searchExchanges' | 'searchPendingOffers',
	{ hint, ...field }: ExchangeField,
): INodeProperties {
	const entry = { displayName: 'By ID', name: 'id', placeholder: 'e.g. exc_1a2b3c', hint };
	return locator({
		...{ displayName: 'Exchange', name: 'exchangeId', required: true },
		...{ ...field, searchListMethod, entry },
	});
}

/**
 * The ID in such a field. What cannot be one is refused before any request.
 * @param how what to enter, for an error
 */
export function readExchangeId(settings: Settings, field: INodeProperties, how = ''): string {
	const expected = `the ID of an exchange${how}`;
	const id = settings.text(field, expected);
	if (isSegment(id)) return id;
	throw settings.refuse(field, id, expected);
}
