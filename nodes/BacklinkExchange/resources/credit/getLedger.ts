import { readBalance } from '../../../shared/balance';
import { explainUnreadable } from '../../../shared/errors';
import { resultOrThrow } from '../../../shared/explanation';
import { readList } from '../../../shared/response';
import { goesOn } from '../../../shared/signsOfMore';
import type { Operation } from '../../operation';
import { listFields, readWanted, truncatedHint } from '../../readOperations';

/** The ledger entries of GET /credits/balance; their name and fields are not documented (service-api.md, "Credit balance"). */
export const getLedger: Operation<number> = {
	value: 'getLedger',
	name: 'Get Ledger',
	action: 'Get credit ledger',
	description: 'Return one item for each entry of the credit ledger',
	fields: listFields,
	read: readWanted,
	begin: ({ context, connection, hint }) => ({
		async handle(wanted, itemIndex) {
			const node = context.getNode();
			const { record, response } = resultOrThrow(node, await readBalance(connection), itemIndex);
			const ledger =
				readList(record, 'ledger') ?? explainUnreadable(response, 'an object with ledger entries');
			const entries = resultOrThrow(node, ledger, itemIndex);
			const read = { entries: entries.length, pages: 1 };
			if (entries.length < wanted && goesOn(response, 'ledger', read)) {
				hint('truncated', truncatedHint);
			}
			return entries.slice(0, wanted);
		},
	}),
};
