import type { IDataObject } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import {
	describeExchange,
	joinParts,
	pluralize,
	quote,
	sanitize,
} from '../../../shared/formatting/message';
import { getPageUrl } from '../../../shared/formatting/pageUrl';
import { isNonBlankScalar } from '../../../shared/utils/ids';
import { isObject } from '../../../shared/utils/isObject';
import { truncate } from '../../../shared/utils/text';

/** The most characters of a stranger's words in a field of an item. */
const maxCellLength = 500;
/** The most characters of a reason in the sentence about an offer. */
const maxReasonLength = 300;

/** What is returned of an offer. */
export interface Decision {
	id: string;
	outcome: keyof typeof headlines;
	/** How it is known that the offer is accepted: `check` found it so before a request of this execution. */
	confirmedBy?: 'response' | 'readBack' | 'check';
	/** Why the offer was not accepted, or why it is not known whose request was carried out. */
	reason?: string;
	creditsSpent?: number;
	balance?: number;
	exchange?: IDataObject;
}

/** How the sentence about an offer begins, by its outcome. */
export const headlines = {
	accepted: 'Accepted',
	wouldAccept: 'Would accept (dry run)',
	skipped: 'Not accepted',
	refused: 'Refused by your rules:',
	undecided: 'Please decide on',
	failed: 'Not accepted',
	unknown: 'Credits may have been spent on',
};

/** What a person is to do about an offer, by its outcome; the ID follows. */
const nextSteps: Partial<Record<Decision['outcome'], string>> = {
	undecided: 'Decide in the dashboard of the service, or with the operation Accept',
	failed: 'To try again by hand, use the operation Accept',
	unknown: 'Check it in the dashboard of the service',
};

/** Whether a person has to act, or has to know that credits may be spent. */
export function needsReview({ outcome, reason }: Decision): boolean {
	// The reason of an accepted one says that nobody knows who has accepted it.
	return outcome in nextSteps || (outcome === 'accepted' && reason !== undefined);
}

/**
 * The fields in the order in which the editor shows them, without those that are not known.
 * @param isSimple without the record of the service
 */
export function decisionToItem(
	{ exchange = {}, ...decision }: Decision,
	{ isSimple }: { isSimple: boolean },
): IDataObject {
	const { id, outcome, confirmedBy, reason, creditsSpent, balance } = decision;
	const fields = {
		message: formatMessage({ ...decision, exchange }),
		id,
		outcome,
		confirmedBy,
		reason,
		creditsSpent,
		balance,
		partner: formatSiteName(exchange.from_site),
		site: formatSiteName(exchange.to_site),
		anchor: toCell(exchange.anchor),
		link: getPageUrl(exchange),
		exchange: isSimple ? undefined : exchange,
	};
	const isKnown = (value: unknown) => value !== undefined && JSON.stringify(value) !== '{}';
	// The item is a copy, because the record is remembered, and other items may return the same one.
	return deepCopy(Object.fromEntries(Object.entries(fields).filter(([, value]) => isKnown(value))));
}

/** The name of a site for a cell of a table: the service may send a text, or an object with a URL, a name or an ID. */
function formatSiteName(site: unknown): string | undefined {
	return toCell(isObject(site) ? (site.url ?? site.name ?? site.id) : site);
}

/** A value for a cell of a table; undefined for what is neither text nor number. */
function toCell(value: unknown): string | undefined {
	return isNonBlankScalar(value) ? truncate(String(value), maxCellLength) : undefined;
}

/**
 * The decision in one plain sentence, ready for Slack, an email or a spreadsheet:
 * `Accepted kettle-review.example → tea.example, anchor “green tea”: 10 credits, 90 left`. Where a person has to act, it ends with
 * where, and with the ID.
 */
function formatMessage(decision: Decision): string {
	const { id, outcome, confirmedBy, reason, creditsSpent, balance, exchange = {} } = decision;
	const description = describeExchange(exchange);
	const headline = confirmedBy === 'check' ? 'Already accepted' : headlines[outcome];
	const facts = joinParts(
		reason === undefined ? undefined : sanitize(reason, maxReasonLength).replace(/\.$/, ''),
		creditsSpent === undefined ? undefined : pluralize(creditsSpent, 'credit'),
		outcome === 'accepted' && balance !== undefined ? `${balance} left` : undefined,
	);
	const subject = description ?? `exchange ${quote(id) ?? 'without an ID'}`;
	const message = `${headline} ${subject}${facts === '' ? '' : `: ${facts}`}`;
	const nextStep = nextSteps[outcome];
	return nextStep === undefined
		? message
		: `${message}. ${nextStep}: ${quote(id) ?? 'it has no ID'}`;
}
