import type { IDataObject } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { formatCell, formatSiteCell } from '../../../shared/formatting/cells';
import {
	describeExchange,
	joinParts,
	pluralize,
	quote,
	sanitize,
} from '../../../shared/formatting/message';
import { getPageUrl } from '../../../shared/formatting/pageUrl';

const maxReasonLength = 300;

/** The result for one offer. */
export interface Decision {
	id: string;
	outcome: keyof typeof headlines;
	/**
	 * How the acceptance was confirmed. `check`: it was already accepted before a request of this
	 * execution.
	 */
	confirmedBy?: 'response' | 'readBack' | 'check';
	/** Reason why the offer wasn't accepted, or why it isn't known whose request accepted it. */
	reason?: string;
	creditsSpent?: number;
	balance?: number;
	exchange?: IDataObject;
}

/** How `message` begins, by outcome. */
export const headlines = {
	accepted: 'Accepted',
	wouldAccept: 'Would accept (dry run)',
	skipped: 'Not accepted',
	refused: 'Refused by your rules:',
	undecided: 'Please decide on',
	failed: 'Not accepted',
	unknown: 'Credits may have been spent on',
};

/** How `message` ends, by outcome; the ID follows. */
const nextSteps: Partial<Record<Decision['outcome'], string>> = {
	undecided: 'Decide in the dashboard of the service, or with the operation Accept',
	failed: 'To try again by hand, use the operation Accept',
	unknown: 'Check it in the dashboard of the service',
};

/** Returns whether the user has to act, or has to know that credits may be spent. */
export function needsReview({ outcome, reason }: Decision): boolean {
	// An accepted offer has a reason only if it isn't known whose request accepted it.
	return outcome in nextSteps || (outcome === 'accepted' && reason !== undefined);
}

/**
 * Builds the item of a decision: the fields in the order in which the editor shows them, without
 * unknown ones.
 *
 * @param isSimple leaves out the service's own record
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
		partner: formatSiteCell(exchange.from_site),
		site: formatSiteCell(exchange.to_site),
		anchor: formatCell(exchange.anchor),
		link: getPageUrl(exchange),
		exchange: isSimple ? undefined : exchange,
	};
	const isKnown = (value: unknown) => value !== undefined && JSON.stringify(value) !== '{}';
	// Copy the item: the record is cached, and other items may return the same one.
	return deepCopy(Object.fromEntries(Object.entries(fields).filter(([, value]) => isKnown(value))));
}

/**
 * Formats the decision as one sentence for Slack, an email or a spreadsheet: `Accepted
 * kettle-review.example → tea.example, anchor “green tea”: 10 credits, 90 left`.
 *
 * If the user has to act, it ends with where to do that, and the ID.
 */
function formatMessage(decision: Decision): string {
	const { id, outcome, confirmedBy, reason, creditsSpent, balance, exchange = {} } = decision;
	const description = describeExchange(exchange);
	const headline = confirmedBy === 'check' ? 'Already accepted' : headlines[outcome];
	const facts = joinParts(
		reason !== undefined && sanitize(reason, maxReasonLength).replace(/\.$/, ''),
		creditsSpent !== undefined && pluralize(creditsSpent, 'credit'),
		outcome === 'accepted' && balance !== undefined && `${balance} left`,
	);
	const subject = description ?? `exchange ${quote(id) ?? 'without an ID'}`;
	const message = `${headline} ${subject}${facts === '' ? '' : `: ${facts}`}`;
	const nextStep = nextSteps[outcome];
	return nextStep === undefined
		? message
		: `${message}. ${nextStep}: ${quote(id) ?? 'it has no ID'}`;
}
