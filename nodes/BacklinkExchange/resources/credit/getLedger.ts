import { explainUnreadable } from '../../../shared/errors';
import { resultOrThrow } from '../../../shared/explanation';
import { readList } from '../../../shared/response';
import type { Operation } from '../../operation';
import { listFields, readWanted } from '../../readOperations';
import { readBalance } from './balance';

/** The ledger entries of GET /credits/balance; their name and fields are not documented (service-api.md, "Credit balance"). */
export const getLedger: Operation<number> = {
	value: 'getLedger',
	name: 'Get Ledger',
	action: 'Get credit ledger',
	description: 'List the entries of the credit ledger, one item for each',
	fields: listFields,
	read: readWanted,
	begin: ({ context, connection }) => ({
		async handle(wanted, itemIndex) {
			const node = context.getNode();
			const { record, response } = resultOrThrow(node, await readBalance(connection), itemIndex);
			const entries =
				readList(record, 'ledger') ?? explainUnreadable(response, 'an object with ledger entries');
			return resultOrThrow(node, entries, itemIndex).slice(0, wanted);
		},
	}),
};
