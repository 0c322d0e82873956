import { fetchBalance } from '../../../../shared/api/fetchBalance';
import { ServiceError, toServiceError } from '../../../../shared/errors';
import { formatList, joinWords, pluralize } from '../../../../shared/formatting/message';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { recentMs } from '../../../../shared/transport/requestCache';
import { roundCredits } from '../accept/balance';
import type { Decision } from '../decision';
import type { RunResult } from './acceptOffers';

/** Reasons and partners that a hint lists; a last part counts the others. */
const maxListed = 5;

/** The reasons of limits on the number of offers begin like this. */
const countLimit = /^Max (?:Accepts|per Day)/;

/**
 * Creates the hint that shows what a run has spent and which limit ended it, or what a live run
 * would spend and what kept the other offers back.
 *
 * @returns an empty text if a live run accepted nothing and reached no limit
 */
export async function createRunHint(
	client: ApiClient,
	result: RunResult,
	isDryRun: boolean,
): Promise<string> {
	const { decisions, partnersWithoutOffer } = result;
	if (!isDryRun) return joinWords(formatSpending(decisions), formatReachedLimits(decisions));
	return joinWords(
		await describePlan(client, result),
		formatReasons(decisions.filter(({ outcome }) => outcome !== 'wouldAccept')),
		formatPartners(partnersWithoutOffer),
	);
}

/**
 * Describes which limits on the number of offers were reached, and how many offers they skipped.
 */
export function formatReachedLimits(decisions: readonly Decision[]): string | undefined {
	const skipped = countByReason(decisions.filter(({ reason = '' }) => countLimit.test(reason)));
	const sentences = [...skipped].map(
		([reason, count]) =>
			`${reason}, so ${pluralize(count, 'offer')} ${count === 1 ? 'was' : 'were'} skipped.`,
	);
	return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** Describes what a live run would accept and spend. */
async function describePlan(
	client: ApiClient,
	{ decisions, acceptedCount }: RunResult,
): Promise<string> {
	const count = decisions.filter(({ outcome }) => outcome === 'wouldAccept').length;
	const noun = count === 0 ? 'no offer' : pluralize(count, 'offer');
	const plan = `Dry run: no credits were spent. A live run would accept ${noun}`;
	if (count === 0) return `${plan}.`;
	const credits = await fetchBalance(client, client.maxAge(recentMs)).catch(toServiceError);
	if (credits instanceof ServiceError) return `${plan}.`;
	const { balance, lifetime_spent: lifetimeSpent } = credits;
	const averagePrice = Number(lifetimeSpent) / acceptedCount;
	const left = `You have ${pluralize(Number(balance), 'credit')}.`;
	if (!Number.isFinite(averagePrice) || averagePrice <= 0) {
		return `${plan}. The service doesn't show prices, so the cost isn't known yet. ${left}`;
	}
	const estimate = Math.round(count * averagePrice);
	const average = Number(averagePrice.toFixed(1));
	return `${plan} for about ${pluralize(estimate, 'credit')}, because offers have cost ${average} on average. ${left}`;
}

/** Counts the offers that each reason kept back. */
function formatReasons(decisions: readonly Decision[]): string | undefined {
	const counts = [...countByReason(decisions)].sort(([, one], [, other]) => other - one);
	if (counts.length === 0) return undefined;
	const listed = counts.slice(0, maxListed).map(([reason, count]) => `${count} (${reason})`);
	const otherCount = counts.slice(maxListed).reduce((sum, [, count]) => sum + count, 0);
	return `Kept back: ${formatList(...listed, otherCount > 0 && `${otherCount} for other reasons`)}.`;
}

function formatPartners(partners: readonly string[]): string | undefined {
	if (partners.length === 0) return undefined;
	const otherCount = partners.length - maxListed;
	const listed = partners.slice(0, maxListed);
	return `No pending offer comes from ${formatList(...listed, otherCount > 0 && `${otherCount} more of Allowed Partners`)}.`;
}

function countByReason(decisions: readonly Decision[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { reason = '' } of decisions) {
		if (reason !== '') counts.set(reason, (counts.get(reason) ?? 0) + 1);
	}
	return counts;
}

/** Formats what the accepted offers have cost. */
function formatSpending(decisions: readonly Decision[]): string | undefined {
	const accepted = decisions.filter(
		({ outcome, alreadyAccepted }) => outcome === 'accepted' && !alreadyAccepted,
	);
	if (accepted.length === 0) return undefined;
	const costs = accepted.flatMap(({ creditsSpent = [] }) => creditsSpent);
	const sum = roundCredits(costs.reduce((one, other) => one + other, 0));
	const offers = `${pluralize(accepted.length, 'offer')} ${accepted.length === 1 ? 'was' : 'were'} accepted`;
	// The smallest is the last one. The decisions are in the order of the list, not of the run.
	const balance = Math.min(...accepted.map((decision) => decision.balance ?? NaN));
	const left = Number.isNaN(balance) ? '' : ` You have ${pluralize(balance, 'credit')} left.`;
	const unknownCount = accepted.length - costs.length;
	if (costs.length === 0) return `${offers}. The service doesn't show the cost yet.${left}`;
	if (unknownCount === 0) return `${offers} for ${pluralize(sum, 'credit')}.${left}`;
	return `${offers} for at least ${pluralize(sum, 'credit')}. The service doesn't show the cost of ${unknownCount} of them yet.${left}`;
}
