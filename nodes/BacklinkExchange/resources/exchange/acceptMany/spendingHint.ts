import { fetchBalance } from '../../../../shared/api/fetchBalance';
import { ServiceError, toServiceError } from '../../../../shared/errors';
import { pluralize } from '../../../../shared/formatting/message';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { recentMs } from '../../../../shared/transport/requestCache';
import type { Decision } from '../decision';
import type { RunResult } from './acceptOffers';

/**
 * Creates the hint that shows what a run has spent, or what a live run would spend.
 *
 * @returns `undefined` if nothing was or would be accepted
 */
export async function createSpendingHint(
	client: ApiClient,
	{ decisions, acceptedCount }: RunResult,
	isDryRun: boolean,
): Promise<string | undefined> {
	if (!isDryRun) return formatSpending(decisions);
	const count = decisions.filter(({ outcome }) => outcome === 'wouldAccept').length;
	if (count === 0) return undefined;
	const plan = `Dry run: no credits were spent. A live run would accept ${pluralize(count, 'offer')}`;
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

/** Formats what the accepted offers have cost. */
function formatSpending(decisions: readonly Decision[]): string | undefined {
	const accepted = decisions.filter(
		({ outcome, alreadyAccepted }) => outcome === 'accepted' && !alreadyAccepted,
	);
	if (accepted.length === 0) return undefined;
	const costs = accepted.flatMap(({ creditsSpent = [] }) => creditsSpent);
	const sum = costs.reduce((one, other) => one + other, 0);
	const offers = `${pluralize(accepted.length, 'offer')} ${accepted.length === 1 ? 'was' : 'were'} accepted`;
	const balance = accepted.at(-1)?.balance;
	const left = balance === undefined ? '' : ` You have ${pluralize(balance, 'credit')} left.`;
	const unknownCount = accepted.length - costs.length;
	if (costs.length === 0) return `${offers}. The service doesn't show the cost yet.${left}`;
	if (unknownCount === 0) return `${offers} for ${pluralize(sum, 'credit')}.${left}`;
	return `${offers} for at least ${pluralize(sum, 'credit')}. The service doesn't show the cost of ${unknownCount} of them yet.${left}`;
}
