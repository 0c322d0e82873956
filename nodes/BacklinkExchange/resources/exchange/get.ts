import { exchangeStatuses } from '../../../shared/api/exchangeStatus';
import { findExchange } from '../../../shared/api/fetchExchanges';
import { errorResult, isErrorResult } from '../../../shared/errors';
import outputSchema from '../../__schema__/v1.0.0/exchange/get.json';
import type { Operation } from '../../operation.types';
import { exchangeLocator, getExchangeId } from './exchangeLocator';

const exchange = exchangeLocator('searchExchanges', {
	description: 'The exchange to return',
	placeholder: 'Select an exchange…',
	hint: 'The field "id" of an exchange, or "exchange_id" of an alert',
});

/**
 * GET /exchanges, filtered by ID: there is no endpoint for a single exchange (service-api.md,
 * "Endpoints").
 */
export const get: Operation<string> = {
	value: 'get',
	name: 'Get',
	action: 'Get exchange',
	description: 'Return one exchange, found by its ID in the list of the service',
	outputSchema,
	usageHint:
		'from_site is the partner, to_site yours, or the other way around in offers that you made. Fails for an ID that is not listed.',
	properties: [exchange],
	getParameters: (parameters) => getExchangeId(parameters, exchange),
	createHandler: ({ client }) => ({
		async executeItem(id) {
			const found = await findExchange(client, id, { fallbackStatuses: exchangeStatuses });
			if (isErrorResult(found)) return found;
			if (found.record) return [found.record];
			const rest = found.truncated
				? 'The service has more exchanges than it lists, in a way that this node cannot follow, so it may be one of those.'
				: 'Check the ID and the account of the credential.';
			return errorResult({
				message: `The service does not list the exchange ${id}`,
				description: `It is in none of its lists, whatever the status. ${rest}`,
			});
		},
	}),
};
