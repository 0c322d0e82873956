import type { IDataObject } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { describeExchange, labelled, plain, quote, sentence } from '../../../shared/message';
import { linkOf } from '../../../shared/pageAddress';

/** What is returned of an offer. */
export interface Decision {
	id: string;
	outcome: keyof typeof headlines;
	confirmedBy?: 'response' | 'readBack' | 'check' | 'memory';
	/** Why it was not accepted, or why it is not known who accepted. */
	reason?: string;
	creditsSpent?: number;
	balance?: number;
	exchange?: IDataObject;
}

/** By outcome. */
export const headlines = {
	accepted: 'Accepted',
	alreadyAccepted: 'Already accepted',
	wouldAccept: 'Would accept (dry run)',
	skipped: 'Not accepted',
	refused: 'Refused by the rules',
	undecided: 'Please decide',
	failed: 'Not accepted',
	unknown: 'Credits may have been spent on',
};

/** The fields in the order in which the editor shows them, without those that are not known. */
export function toItem(decision: Decision): IDataObject {
	const { id, outcome, confirmedBy, reason, creditsSpent, balance, exchange } = decision;
	const message = messageOf(decision);
	const link = exchange && linkOf(exchange);
	const fields = {
		id,
		outcome,
		message,
		link,
		confirmedBy,
		reason,
		creditsSpent,
		balance,
		exchange,
	};
	const isKnown = (value: unknown) => value !== undefined && JSON.stringify(value) !== '{}';
	// A copy: the record is remembered, and other items may return the same one.
	return deepCopy(Object.fromEntries(Object.entries(fields).filter(([, value]) => isKnown(value))));
}

/**
 * The decision in one plain sentence, ready for Slack, an email or a spreadsheet:
 * `Accepted kettle-review.example → tea.example, anchor "green tea": 10 credits, 90 left`.
 */
function messageOf(decision: Decision): string {
	const { id, outcome, reason, creditsSpent, balance, exchange = {} } = decision;
	const what = describeExchange(exchange) ?? labelled('exchange', quote(id)) ?? 'an exchange';
	const facts = sentence(
		reason === undefined ? undefined : plain(reason, 300),
		creditsSpent === undefined ? undefined : `${creditsSpent} credits`,
		balance === undefined ? undefined : `${balance} left`,
	);
	return `${headlines[outcome]} ${what}${facts === '' ? '' : `: ${facts}`}`;
}
