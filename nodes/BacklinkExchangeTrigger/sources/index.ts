import type { SourceName } from '../../shared/events/event.types';
import { alertSource } from './alerts';
import { creditSource } from './credits';
import { exchangeSource } from './exchanges';
import type { Source } from './source.types';

const all = { alerts: alertSource, exchanges: exchangeSource, credits: creditSource };

/** The parts of the account that polls read, in this order. */
export const sources: Record<SourceName, Source> = all;

export const sourceNames = Object.keys(sources) as SourceName[];

/** The data that a poll has read. Parts that no selected event needs are left out. */
export type Snapshot = {
	[Name in SourceName]?: Awaited<ReturnType<(typeof all)[Name]['fetch']>>;
};
