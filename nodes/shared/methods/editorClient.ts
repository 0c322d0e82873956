import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { ApiClient } from '../transport/apiClient';

/** Creates a client that gives up soon, because the user is waiting in the editor. */
export async function createEditorClient(context: ILoadOptionsFunctions): Promise<ApiClient> {
	return await ApiClient.create(context, { maxRateLimitWaitMs: 5000, timeoutMs: 15_000 });
}
