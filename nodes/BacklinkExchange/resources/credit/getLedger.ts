import { fetchList } from '../../../shared/api/fetchList';
import { getMany, listFields } from '../../getMany';
import type { Operation } from '../../operation.types';

/** The ledger entries of GET /credits/balance (service-api.md, "Credit balance"). */
export const getLedger: Operation = {
	value: 'getLedger',
	name: 'Get Ledger',
	action: 'Get credit ledger',
	description: 'Retrieve a list of ledger entries',
	outputSchema: undefined,
	properties: listFields,
	...getMany({
		fetch: async (client, request) => await fetchList(client, 'ledger', request),
		toItem: (entry) => entry,
	}),
};
