import { apiError, explainUnreadable, isExplanation } from '../../../shared/errors';
import { readList } from '../../../shared/response';
import { listFields, wantedResults } from '../../listFields';
import type { Operation } from '../../operation';
import { readBalance } from './balance';

/** The ledger entries of GET /credits/balance; their name and fields are not documented (service-api.md, "Credit balance"). */
export const getLedger: Operation = {
	value: 'getLedger',
	name: 'Get Ledger',
	action: 'Get credit ledger',
	description: 'List the entries of the credit ledger, one item for each',
	fields: listFields,
	begin:
		({ context, connection }) =>
		async (itemIndex) => {
			const result = await readBalance(connection);
			if (isExplanation(result)) throw apiError(context.getNode(), result, itemIndex);
			const entries = readList(result.record, 'ledger');
			if (entries === undefined) {
				const explanation = explainUnreadable(result.response, 'an object with ledger entries');
				throw apiError(context.getNode(), explanation, itemIndex);
			}
			return entries.slice(0, wantedResults(context, itemIndex));
		},
};
