import type { INodeProperties } from 'n8n-workflow';

import { resourceLocator } from '../../../shared/descriptions/resourceLocator';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import { isPathSegment } from '../../../shared/utils/ids';

interface ExchangeField extends Pick<INodeProperties, 'description' | 'required'> {
	placeholder: string;
	hint: string;
}

/** Builds the field that selects an exchange from a list, or by ID. */
export function exchangeLocator(
	searchListMethod: 'searchExchanges' | 'searchPendingOffers',
	{ hint, ...field }: ExchangeField,
): INodeProperties {
	const byId = { displayName: 'By ID', name: 'id', placeholder: 'e.g. exc_1a2b3c', hint };
	return resourceLocator({
		displayName: 'Exchange',
		name: 'exchangeId',
		required: true,
		...field,
		searchListMethod,
		manualModes: [byId],
	});
}

/**
 * Reads the exchange ID from such a field.
 *
 * @param inputHint sentences about what to enter, for the error
 * @throws {NodeOperationError} if the value can't be an ID, before any request
 */
export function getExchangeId(
	parameters: ParameterReader,
	field: INodeProperties,
	inputHint?: string,
): string {
	const expected = 'the ID of an exchange';
	const id = parameters.string(field, expected, inputHint);
	if (isPathSegment(id)) return id;
	throw parameters.invalid(field, id, expected, inputHint);
}
