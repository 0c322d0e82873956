import { Exchange } from '../../../../shared/api/exchange';
import { errorMessages } from '../../../../shared/errorMessages';
import { ServiceError } from '../../../../shared/errors';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import type { Denial } from '../accept/accept.types';
import type { Rules } from './rules';

const daySeconds = 24 * 60 * 60;

const advice =
	"No offer was accepted. Remove 'Max per Day' to continue with the limits 'Max Accepts' and 'Minimum Balance'.";

/** Counts the accepted offers of the last 24 hours for Max per Day of one set of rules. */
export class DayLimit {
	readonly #rules: Rules;

	readonly #maxPerDay: number;

	/** IDs of the offers that count, or the exchange itself if it has none. */
	readonly #accepted = new Set<string | Exchange>();

	constructor(rules: Rules, maxPerDay: number) {
		this.#rules = rules;
		this.#maxPerDay = maxPerDay;
	}

	/** Counts an offer, unless it is for another one of your sites. */
	add(exchange: Exchange): void {
		if (this.#rules.isForYourSites(exchange) === false) return;
		this.#accepted.add(exchange.id ?? exchange);
	}

	/** @returns `undefined` if the limit allows another offer, or its rules don't allow this one */
	getDenial(exchange: Exchange): Denial | undefined {
		if (this.#accepted.size < this.#maxPerDay) return undefined;
		if (this.#rules.getDenial(exchange) !== undefined) return undefined;
		const reason = `Max per Day (${this.#maxPerDay}) is reached, counting the last 24 hours`;
		return { outcome: 'skipped', reason };
	}
}

/**
 * Returns the incoming exchanges that were accepted within the last 24 hours, with any status: by
 * their `accepted_at`, or because this process has accepted them, or may have accepted them, within
 * the last minute: the list may not show that yet, or not contain them. Outgoing ones were accepted
 * by partners.
 *
 * An exchange without a readable `accepted_at` counts, unless it was published longer ago.
 *
 * @throws {ServiceError} if the list doesn't show all of them, or none of the times
 */
export function getAcceptedInLast24Hours(
	client: ApiClient,
	{ exchanges, truncated }: { exchanges: readonly Exchange[]; truncated: boolean },
): Exchange[] {
	if (truncated) {
		throw new ServiceError({
			message: errorMessages.maxPerDayListIncomplete,
			description: `The service has more exchanges than it lists, and the node can't fetch the others. ${advice}`,
		});
	}
	const incoming = exchanges.filter(({ direction }) => direction === 'incoming');
	const accepted = incoming.filter(({ wasAccepted }) => wasAccepted);
	if (accepted.length > 0 && accepted.every(({ acceptedAt }) => acceptedAt === undefined)) {
		throw new ServiceError({
			message: errorMessages.maxPerDayTimesMissing,
			description: `The service doesn't show when the exchanges were accepted ("accepted_at"). ${advice}`,
		});
	}
	const { accepts, ownSites } = client.account;
	const recent = new Map([...accepts.getRecent('succeeded'), ...accepts.getRecent('unknown')]);
	const listedIds = new Set(exchanges.map(({ id }) => id));
	const unlisted = [...recent].filter(([id]) => !listedIds.has(id));
	// Use the earlier of the two clocks, so that no accepted exchange is missed.
	const since = Math.floor(Math.min(Date.now(), client.now()) / 1000) - daySeconds;
	const counted = incoming.filter(
		({ id = '', wasAccepted, acceptedAt, publishedAt }) =>
			recent.has(id) || (wasAccepted && (acceptedAt ?? publishedAt ?? since) >= since),
	);
	return counted.concat(
		unlisted.map(([id, { record = { id } }]) => Exchange.parse([record], ownSites)),
	);
}
