import { fetchBalance } from '../../shared/api/fetchBalance';
import type { Credits, EventData } from '../../shared/events/event.types';
import type { Source } from './source.types';

type CreditData = Pick<EventData, 'record'> & { credits: Credits };

export const creditSource: Source<CreditData, 'low' | 'enough'> = {
	// Fetching the balance every minute would cost 1,440 requests a day.
	cacheMs: 15 * 60_000,
	isRepeatable: true,
	nothing: 'enough',
	async fetch({ client, cacheOptions, lowCreditThreshold: threshold }) {
		const record = await fetchBalance(client, cacheOptions);
		const readAt = Math.floor(Date.now() / 1000);
		return { record, credits: { balance: record.balance, threshold, readAt } };
	},
	// Low credits are an event in the baseline too, because the user hasn't been notified yet.
	compare(data, known = 'enough') {
		const isLow = data.credits.balance < data.credits.threshold;
		return {
			changes: isLow && known === 'enough' ? [data] : [],
			known: isLow ? 'low' : 'enough',
		};
	},
};
