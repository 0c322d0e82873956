import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';

import { lookUpExchange } from '../shared/api/lookUpExchange';
import type { AccountEvent } from '../shared/events/event.types';
import { ApiClient } from '../shared/transport/apiClient';
import { raceWithAbort } from '../shared/transport/delay';

/** The service waits for the response, and may count a late one as a failure. */
const maxWaitMs = 3000;

/**
 * Looks up the exchanges of events.
 *
 * @param credential as it was read to verify the delivery, because reading it takes n8n long
 * @returns the events, with all that the service shows of their exchanges
 * @throws {NodeOperationError} if the credential isn't valid
 * @throws {ServiceError} if the service can't be reached, or a response isn't valid
 * @throws {DOMException} if it takes too long
 */
export async function completeEvents(
	context: IWebhookFunctions,
	credential: ICredentialDataDecryptedObject,
	events: AccountEvent[],
): Promise<AccountEvent[]> {
	const client = ApiClient.fromCredential(context, credential, {
		maxRateLimitWaitMs: 0,
		timeoutMs: maxWaitMs,
		maxAttempts: 1,
	});
	const complete = async ({ type, data }: AccountEvent): Promise<AccountEvent> => {
		const id = data.exchange?.id ?? '';
		return { type, data: { ...data, exchange: await lookUpExchange(client, id, data.record) } };
	};
	return await raceWithAbort(Promise.all(events.map(complete)), AbortSignal.timeout(maxWaitMs));
}
