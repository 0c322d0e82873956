import { type Balance, fetchBalance } from '../../../../shared/api/fetchBalance';
import { toServiceError } from '../../../../shared/errors';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { type CacheOptions, noCache } from '../../../../shared/transport/requestCache';
import { monotonicNow } from '../../../../shared/utils/time';
import { type AcceptOptions, type Denial, noMinimumBalance } from './accept.types';
import type { AcceptSession } from './acceptOffer';

/** Without a minimum. */
const maxBalanceAgeMs = 5000;
/** For a balance that must be above a minimum: one that was read after the accept before. */
const maxCheckedBalanceAgeMs = 1000;
/** Balance requests while waiting for the cost: about ten seconds in all. */
const maxVerifyAttempts = 6;

/**
 * Fetches the balance before an accept.
 *
 * @returns `undefined` if nothing depends on it and it can't be read
 * @throws {ServiceError} if there is a minimum and it can't be read
 */
export async function fetchBalanceBefore(
	session: AcceptSession,
	{ minimumBalance, dryRun }: AcceptOptions,
): Promise<Balance | undefined> {
	const { client } = session;
	if (minimumBalance !== noMinimumBalance) {
		return await fetchBalance(client, getCacheOptions(client, maxCheckedBalanceAgeMs));
	}
	if (dryRun || session.isBalanceUnavailable) return undefined;
	try {
		return await fetchBalance(client, getCacheOptions(client, maxBalanceAgeMs));
	} catch (error) {
		toServiceError(error);
		session.isBalanceUnavailable = true;
		return undefined;
	}
}

/** Checks Minimum Balance. The service shows no price in advance, so one offer may cross it. */
export function getMinimumBalanceDenial(
	{ client, results }: AcceptSession,
	{ minimumBalance }: AcceptOptions,
	balance: Balance | undefined,
): Denial | undefined {
	if (balance === undefined || minimumBalance === noMinimumBalance) return undefined;
	if (results.isCostUnknown) {
		return {
			outcome: 'skipped',
			reason:
				"The balance doesn't show yet what the last offer cost. The next execution can accept offers again",
		};
	}
	if (client.account.accepts.getRecent('unknown').length > 0) {
		return {
			outcome: 'skipped',
			reason:
				"The outcome of a request of the last minute isn't known, so credits may still be deducted",
		};
	}
	if (balance.balance > minimumBalance) return undefined;
	const reason = `The balance of ${balance.balance} credits isn't above the minimum of ${minimumBalance}. Get more credits, or lower Minimum Balance`;
	return { outcome: 'skipped', reason };
}

/**
 * Fetches the balance after an accept. The cost is the increase of the documented `lifetime_spent`
 * (service-api.md, "Credit balance"), because earned credits change the balance, too. With a
 * minimum, it waits until the balance shows the cost, because credits are deducted "on
 * confirmation" (service-api.md, "Endpoints").
 *
 * @param id of the offer
 * @param before the balance before the request, if it could be read
 */
export async function fetchCost(
	{ client, results, isBalanceUnavailable }: AcceptSession,
	id: string,
	{ minimumBalance }: AcceptOptions,
	before: Balance | undefined,
): Promise<{ creditsSpent?: number; balance?: number }> {
	const hasMinimum = minimumBalance !== noMinimumBalance;
	if (!hasMinimum && isBalanceUnavailable) return {};
	const getIncrease = ({ lifetime_spent: spent = NaN }: Balance) =>
		roundCredits(spent - (before?.lifetime_spent ?? NaN));
	try {
		const after = await client.retryUntil(
			hasMinimum ? maxVerifyAttempts : 1,
			async () => await fetchBalance(client, noCache),
			(balance) => getIncrease(balance) > 0,
		);
		const creditsSpent = getIncrease(after);
		if (!(creditsSpent > 0)) return { balance: after.balance };
		results.confirmCost(id);
		// The increase may be the cost of another offer, too.
		if (client.account.accepts.getRecent('unknown').length > 0) return { balance: after.balance };
		return { creditsSpent, balance: after.balance };
	} catch (error) {
		toServiceError(error);
		return {};
	}
}

/** Removes what floating-point arithmetic adds to a sum or difference: 0.30000000000000004. */
export function roundCredits(credits: number): number {
	return Number(credits.toFixed(6));
}

/** Accepts a balance that this execution has read recently, after the last accept. */
function getCacheOptions({ account, createdAt }: ApiClient, maxAgeMs: number): CacheOptions {
	return { notBefore: Math.max(monotonicNow() - maxAgeMs, createdAt, account.changedAt) };
}
