import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { toNodeApiError, toServiceError } from '../errors';
import { ApiClient } from '../transport/apiClient';

/**
 * Calls a function with a client that gives up soon, because the user is waiting in the editor.
 *
 * @throws {NodeApiError} if a request fails
 */
export async function withEditorClient<Result>(
	context: ILoadOptionsFunctions,
	fetch: (client: ApiClient) => Promise<Result>,
): Promise<Result> {
	const client = await ApiClient.create(context, { maxRateLimitWaitMs: 5000, timeoutMs: 15_000 });
	try {
		return await fetch(client);
	} catch (error) {
		throw toNodeApiError(context.getNode(), toServiceError(error));
	}
}
