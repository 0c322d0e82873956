import type { IDataObject } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { isWord } from '../../../shared/identity';
import { isObject } from '../../../shared/objects';
import { shorten } from '../../../shared/text';
import {
	describeExchange,
	labelled,
	plain,
	quote,
	sentence,
	several,
} from '../../../shared/words/message';
import { linkOf } from '../../../shared/words/pageAddress';

/** The most characters of a stranger's words in a field of an item. */
const mostCharacters = 500;

/** What is returned of an offer. */
export interface Decision {
	id: string;
	outcome: keyof typeof headlines;
	confirmedBy?: 'response' | 'readBack' | 'check' | 'memory';
	/** Why the offer was not accepted, or why it is not known whose request was carried out. */
	reason?: string;
	creditsSpent?: number;
	balance?: number;
	exchange?: IDataObject;
}

/** How the sentence about an offer begins, by its outcome. */
export const headlines = {
	accepted: 'Accepted',
	alreadyAccepted: 'Already accepted',
	wouldAccept: 'Would accept (dry run)',
	skipped: 'Not accepted',
	refused: 'Refused by your rules:',
	undecided: 'Please decide on',
	failed: 'Not accepted',
	unknown: 'Credits may have been spent on',
};

/**
 * The fields in the order in which the editor shows them, without those that are not known.
 * @param isSimple without the record of the service
 */
export function toItem(
	{ exchange = {}, ...decision }: Decision,
	{ isSimple }: { isSimple: boolean },
): IDataObject {
	const { id, outcome, confirmedBy, reason, creditsSpent, balance } = decision;
	const fields = {
		id,
		outcome,
		message: messageOf({ ...decision, exchange }),
		link: linkOf(exchange),
		partner: nameOf(exchange.from_site),
		site: nameOf(exchange.to_site),
		anchor: cell(exchange.anchor),
		confirmedBy,
		reason,
		creditsSpent,
		balance,
		exchange: isSimple ? undefined : exchange,
	};
	const isKnown = (value: unknown) => value !== undefined && JSON.stringify(value) !== '{}';
	// The item is a copy, because the record is remembered, and other items may return the same one.
	return deepCopy(Object.fromEntries(Object.entries(fields).filter(([, value]) => isKnown(value))));
}

/** The name of a site for a cell of a table: the service may send a text, or an object with a URL, a name or an ID. */
function nameOf(site: unknown): string | undefined {
	return cell(isObject(site) ? (site.url ?? site.name ?? site.id) : site);
}

/** A value for a cell of a table; undefined for what is neither text nor number. */
function cell(value: unknown): string | undefined {
	return isWord(value) ? shorten(String(value), mostCharacters) : undefined;
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
		creditsSpent === undefined ? undefined : several(creditsSpent, 'credit'),
		balance === undefined ? undefined : `${balance} left`,
	);
	return `${headlines[outcome]} ${what}${facts === '' ? '' : `: ${facts}`}`;
}
