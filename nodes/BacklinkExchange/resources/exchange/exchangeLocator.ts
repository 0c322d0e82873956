import type { INodeProperties } from 'n8n-workflow';

import { resourceLocator } from '../../../shared/descriptions/resourceLocator';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import { isPathSegment } from '../../../shared/utils/ids';

interface ExchangeField extends Pick<INodeProperties, 'description' | 'required'> {
	placeholder: string;
	hint: string;
}

/** The field in which an exchange is chosen from a list, or its ID entered. */
export function exchangeLocator(
	searchListMethod: 'searchExchanges' | 'searchPendingOffers',
	{ hint, ...field }: ExchangeField,
): INodeProperties {
	const manualMode = { displayName: 'By ID', name: 'id', placeholder: 'e.g. exc_1a2b3c', hint };
	return resourceLocator({
		displayName: 'Exchange',
		name: 'exchangeId',
		required: true,
		...field,
		searchListMethod,
		manualMode,
	});
}

/**
 * The ID in such a field. What cannot be one is refused before any request.
 * @param inputHint what to enter, for an error
 */
export function getExchangeId(
	parameters: ParameterReader,
	field: INodeProperties,
	inputHint = '',
): string {
	const expected = `the ID of an exchange${inputHint}`;
	const id = parameters.string(field, expected);
	if (isPathSegment(id)) return id;
	throw parameters.invalid(field, id, expected);
}
