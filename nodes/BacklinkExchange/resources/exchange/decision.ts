import type { IDataObject } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import type { Exchange } from '../../../shared/api/exchange';
import {
	compactParts,
	formatLinkDetails,
	formatRoute,
	joinWords,
	pluralize,
	quote,
	sanitize,
	withLabel,
} from '../../../shared/formatting/message';
import { getText } from '../../../shared/utils/ids';

const maxReasonLength = 700;
const maxLineReasonLength = 150;

/** The result for one offer: what its item contains, so that n8n can store it. */
export interface Decision {
	/** Empty if the exchange has none that can be used. */
	exchangeId: string;
	outcome: keyof typeof headlines;
	/** Of an accepted offer: whether it was accepted before, so that no request was needed. */
	alreadyAccepted?: boolean;
	/**
	 * Reason why the offer wasn't accepted, or why it isn't known whose request accepted it. Without
	 * the last period.
	 */
	reason?: string;
	creditsSpent?: number;
	balance?: number;
	partner?: string;
	site?: string;
	anchor?: string;
	/** URL of the page with the link. */
	link?: string;
	/** As received, if the user wants it. */
	record?: IDataObject;
}

export type DecisionDetails = Pick<
	Decision,
	'outcome' | 'alreadyAccepted' | 'reason' | 'creditsSpent' | 'balance'
>;

/** How `message` begins, by outcome. */
export const headlines = {
	accepted: 'Accepted',
	wouldAccept: 'Would accept (dry run)',
	skipped: 'Skipped',
	blocked: 'Blocked by your rules',
	needsReview: 'Needs review',
	failed: 'Not accepted',
	unknown: 'Outcome unknown',
};

/** How `message` ends, by outcome; the ID follows in parentheses. */
const nextSteps: Partial<Record<Decision['outcome'], string>> = {
	needsReview: 'Accept it in your dashboard or with the Accept operation',
	failed: 'To try it again, use the Accept operation',
	unknown: 'Check it in your dashboard',
};

/** Advice for the offers of a digest, by outcome. */
export const digestAdvice: Partial<Record<Decision['outcome'], string>> = {
	unknown: 'Check the offers with an unknown outcome in your dashboard.',
	failed: 'To try an offer again, use the Accept operation.',
	needsReview: 'Accept the offers that need review in your dashboard or with the Accept operation.',
};

/** Returns whether the user has to act, or has to know that credits may be spent. */
export function requiresReview({ outcome, reason }: Decision): boolean {
	// An accepted offer has a reason only if it isn't known whose request accepted it.
	return outcome in nextSteps || (outcome === 'accepted' && reason !== undefined);
}

/**
 * Creates the decision about an offer.
 *
 * @param exchange `undefined` if no list has shown it
 */
export function createDecision(
	exchangeId: string,
	exchange: Exchange | undefined,
	details: DecisionDetails,
	{ includesRecord }: { includesRecord: boolean },
): Decision {
	return {
		exchangeId,
		...details,
		partner: exchange?.partner.label,
		site: exchange?.site.label,
		anchor: getText(exchange?.anchor),
		link: exchange?.pageUrl,
		record: includesRecord ? exchange?.record : undefined,
	};
}

/**
 * Builds the item of a decision: the fields in the order in which the editor shows them, without
 * unknown ones.
 */
export function decisionToItem(decision: Decision): IDataObject {
	const { exchangeId, outcome, alreadyAccepted, reason, creditsSpent, balance } = decision;
	const { partner, site, anchor, link, record } = decision;
	const fields = {
		...{ message: formatMessage(decision), exchangeId, outcome, alreadyAccepted, reason },
		...{ creditsSpent, balance, partner, site, anchor, link, record },
	};
	const isKnown = (value: unknown) => value !== undefined && JSON.stringify(value) !== '{}';
	// Copy the item: the record is cached, and other items may return the same one.
	return deepCopy(Object.fromEntries(Object.entries(fields).filter(([, value]) => isKnown(value))));
}

/**
 * Formats the decision as one short line of a digest: `Accepted: kettle-review.example →
 * tea.example, “green tea”, 10 credits`.
 */
export function formatDecisionLine(decision: Decision): string {
	const { exchangeId, outcome, alreadyAccepted, reason, creditsSpent } = decision;
	const headline = alreadyAccepted ? 'Already accepted' : headlines[outcome];
	const facts = compactParts(
		formatRoute(decision.partner, decision.site) ?? withLabel('ID', quote(exchangeId)),
		quote(decision.anchor),
		creditsSpent !== undefined && pluralize(creditsSpent, 'credit'),
	);
	const shortReason = reason && ` (${sanitize(reason, maxLineReasonLength).replace(/\.$/, '')})`;
	return `${headline}: ${facts.join(', ')}${shortReason ?? ''}`;
}

/**
 * Formats the decision for Slack, an email or a spreadsheet: `Accepted: the offer
 * kettle-review.example → tea.example with the anchor “green tea”. It cost 10 credits, and 90 are
 * left.`
 *
 * If the user has to act, it ends with where to do that, and the ID.
 */
function formatMessage(decision: Decision): string {
	const { exchangeId, outcome, alreadyAccepted, reason } = decision;
	const headline = alreadyAccepted ? 'Already accepted' : headlines[outcome];
	const id = quote(exchangeId) ?? 'none';
	const offer = describeOffer(decision) ?? `the offer with the ID ${id}`;
	const nextStep = nextSteps[outcome];
	return joinWords(
		`${headline}: ${offer}.`,
		alreadyAccepted === true
			? 'No request was sent, so this time no credits were spent.'
			: undefined,
		reason && `${sanitize(reason, maxReasonLength).replace(/\.$/, '')}.`,
		formatCost(decision),
		nextStep && `${nextStep} (ID: ${id}).`,
	);
}

/**
 * Describes an offer: `the offer kettle-review.example → tea.example with the anchor “green tea” on
 * the page https://kettle-review.example/tea`, or the parts of it that are known.
 *
 * @returns `undefined` if none of them is known
 */
function describeOffer({ partner, site, anchor, link }: Decision): string | undefined {
	const parts = [formatRoute(partner, site), formatLinkDetails(anchor, link)];
	return withLabel('the offer', joinWords(...parts) || undefined);
}

/** Formats the cost of an accepted offer and the balance, if they are known. */
function formatCost({ outcome, creditsSpent, balance }: Decision): string | undefined {
	if (outcome !== 'accepted') return undefined;
	if (creditsSpent === undefined) {
		return balance === undefined ? undefined : `You have ${pluralize(balance, 'credit')} left.`;
	}
	const cost = `It cost ${pluralize(creditsSpent, 'credit')}`;
	if (balance === undefined) return `${cost}.`;
	return `${cost}, and ${balance} ${balance === 1 ? 'is' : 'are'} left.`;
}
