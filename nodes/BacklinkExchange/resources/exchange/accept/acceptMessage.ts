import type { IDataObject } from 'n8n-workflow';

import { labelled, plain, quote, route, sentence } from '../../../../shared/message';

/** What a decision about an offer put out; see `AcceptResult`. */
export interface Decision {
	id: string;
	outcome: string;
	/** Why it was not accepted, or why it is not known who accepted. */
	reason?: string;
	creditsSpent?: number;
	balance?: number;
	exchange?: IDataObject;
}

const headlines: Record<string, string> = {
	accepted: 'Accepted',
	alreadyAccepted: 'Accepted already',
	wouldAccept: 'Would accept (dry run)',
	skipped: 'Not accepted',
	refused: 'Refused by the rules',
	undecided: 'Please decide',
	failed: 'Not accepted',
	unknown: 'Please check, credits may have been spent',
};

/**
 * The decision in one plain sentence, ready for Slack, an email or a spreadsheet:
 * `Accepted "kettle-review.example" → "tea.example", anchor "green tea": 10 credits, 90 left`.
 */
export function acceptMessage(decision: Decision): string {
	const { id, outcome, reason, creditsSpent, balance, exchange = {} } = decision;
	const offer = sentence(route(exchange), labelled('anchor', quote(exchange.anchor)));
	const what = offer === '' ? (labelled('exchange', quote(id)) ?? 'an exchange') : offer;
	const facts = sentence(
		reason === undefined ? undefined : plain(reason, 300),
		creditsSpent === undefined ? undefined : `${creditsSpent} credits`,
		balance === undefined ? undefined : `${balance} left`,
	);
	return `${headlines[outcome] ?? outcome} ${what}${facts === '' ? '' : `: ${facts}`}`;
}
