import { pluralize } from '../formatting/message';
import type { EventType } from './event.types';

export const lowCredits: EventType = {
	name: 'credits.low',
	label: 'Low Credits',
	description: 'The credit balance fell below the threshold that you enter',
	// It needs a parameter and a request of its own.
	isDefault: false,
	urgency: 3,
	digestLabel: { singular: 'low credits', isCounted: false },
	source: 'credits',
	getTime: () => undefined,
	getKeyParts: ({ credits }) => [credits?.readAt],
	formatTitle: ({ credits }) => `Low credits: ${credits?.balance} left`,
	formatMessage: ({ credits }) =>
		`Low credits: your balance is ${pluralize(Number(credits?.balance), 'credit')}, below the threshold of ${credits?.threshold}. Check it before you accept more offers.`,
};
