import type { IPollFunctions } from 'n8n-workflow';

import type { EventData } from '../../shared/events/event.types';
import type { ApiClient } from '../../shared/transport/apiClient';
import type { CacheOptions } from '../../shared/transport/requestCache';

/** Request of a poll for one source. */
export interface SourceRequest<Known = unknown> {
	context: IPollFunctions;
	client: ApiClient;
	/** The state of this source at the last poll. */
	known: Known | undefined;
	/** Which responses it accepts of those that other triggers of the account have requested. */
	cacheOptions: CacheOptions;
	lowCreditThreshold: number;
}

export interface Difference<Known = unknown> {
	changes: EventData[];
	/** The state to compare the next poll with. */
	known: Known;
}

/** A part of the account that polls read and compare. */
export interface Source<Data = unknown, Known = unknown> {
	/** How long all triggers of an account share a response. */
	cacheMs: number;
	/** Whether a trigger may compare the same response twice. */
	isRepeatable?: boolean;
	/** The state of an empty account, compared with which everything is new. */
	nothing: Known;
	/** @throws {ServiceError} if the service can't be reached, or a response isn't valid */
	fetch(request: SourceRequest<Known>): Promise<Data>;
	/** @param known `undefined` for a baseline, which has no changes */
	compare(data: Data, known: Known | undefined): Difference<Known>;
}
