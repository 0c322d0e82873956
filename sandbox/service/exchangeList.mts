import type { Dialect } from '../dialects.mts';
import type { Exchange, ExchangeStatus } from '../store/records.mts';
import type { Exchanges } from './exchanges.mts';

/**
 * What the list endpoint shows, in the dialect that is set; oldest first.
 *
 * @param now milliseconds since 1970
 */
export function listedExchanges(
	exchanges: Exchanges,
	status: ExchangeStatus | undefined,
	{ exchangeList, listLagSeconds }: Pick<Dialect, 'exchangeList' | 'listLagSeconds'>,
	now: number,
): Exchange[] {
	switch (exchangeList) {
		case 'all':
			return exchanges.list(status);
		case 'lagging':
			return exchanges
				.listAsOf(now - listLagSeconds * 1000)
				.filter((exchange) => status === undefined || exchange.status === status);
		case 'pending-only':
			return status === undefined || status === 'pending' ? exchanges.list('pending') : [];
		case 'pending-unless-filtered':
			return exchanges.list(status ?? 'pending');
		case 'without-accepted':
			return exchanges.list(status).filter((exchange) => exchange.status !== 'accepted');
	}
}

/** The exchange whose record the answer to an accept carries. */
export function answeredExchange(
	exchanges: Exchanges,
	accepted: Exchange,
	{ acceptRecord }: Pick<Dialect, 'acceptRecord'>,
): Exchange {
	switch (acceptRecord) {
		case 'own':
			return accepted;
		case 'foreign':
			return (
				exchanges.list().find(({ id }) => id !== accepted.id) ?? {
					...accepted,
					id: `${accepted.id}-other`,
				}
			);
		case 'still-pending':
			return { ...accepted, status: 'pending', acceptedAt: undefined };
	}
}
