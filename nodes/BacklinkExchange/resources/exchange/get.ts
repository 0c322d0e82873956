import { findExchange } from '../../../shared/api/fetchExchanges';
import { exchangeStatuses } from '../../../shared/api/forms/exchangeStatus';
import { errorMessages } from '../../../shared/errorMessages';
import { ServiceError } from '../../../shared/errors';
import outputSchema from '../../__schema__/v1.0.0/exchange/get.json';
import { getMessageContext } from '../../getMany';
import type { Operation } from '../../operation.types';
import { exchangeToItem } from './exchangeItem';
import { exchangeLocator, getExchangeId } from './exchangeLocator';

const exchange = exchangeLocator('searchExchanges', {
	description: 'The exchange to retrieve',
	placeholder: 'Select an exchange…',
	hint: "The 'exchangeId' of an exchange, an alert or a trigger's item",
});

/**
 * GET /exchanges, filtered by ID: there is no endpoint for a single exchange (service-api.md,
 * "Endpoints").
 */
export const get: Operation<string> = {
	value: 'get',
	name: 'Get',
	action: 'Get exchange',
	description: 'Retrieve an exchange',
	outputSchema,
	usageHint: 'The operation fails if no exchange has this ID.',
	properties: [exchange],
	getParameters: (parameters) => getExchangeId(parameters, exchange),
	createHandler: ({ context, client }) => ({
		async executeItem(id) {
			const found = await findExchange(client, id, {}, exchangeStatuses);
			if (found.exchange !== undefined) {
				return [exchangeToItem(found.exchange, getMessageContext(context, client))];
			}
			const rest = found.truncated
				? "The service has more exchanges than it lists, and the node can't fetch the others, so it may be one of those."
				: 'Check the ID and the account of the credential.';
			throw new ServiceError({
				message: errorMessages.exchangeNotListed(id),
				description: `The exchange isn't in the list of any status. ${rest}`,
			});
		},
	}),
};
