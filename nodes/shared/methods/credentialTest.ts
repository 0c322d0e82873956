import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
	NodeApiError,
} from 'n8n-workflow';

import { fetchList } from '../api/fetchList';
import { formatError, isErrorResult } from '../errors';
import { ApiClient } from '../transport/apiClient';
import type { RequestContext } from '../transport/request';

/** Short, because the user is waiting at the form of the credential. */
const options = { maxRateLimitWaitMs: 5000, timeoutMs: 10_000 };

/**
 * Tests the credential: lists the sites like the nodes, and returns their error messages.
 *
 * A declarative test can't: n8n shows only a code such as ECONNREFUSED for anything but an HTTP
 * status. Each node refers to this method in `testedBy`.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const context = createContext(this, data);
	try {
		const client = await ApiClient.create(context, options);
		const sites = await fetchList(client, 'sites', { limit: 1 });
		if (!isErrorResult(sites)) return { status: 'OK', message: 'Connection successful' };
		return { status: 'Error', message: formatError(sites) };
	} catch (error) {
		return { status: 'Error', message: formatError(error as NodeApiError) };
	}
}

/**
 * Builds the part of a node's context that requests need. It uses `helpers.request`, because a
 * credential test has no other way to send requests.
 */
function createContext(
	{ helpers }: ICredentialTestFunctions,
	credential: ICredentialDataDecryptedObject,
): RequestContext {
	const httpRequestWithAuthentication = async (
		_credentialName: string,
		{ method, url, headers, timeout }: IHttpRequestOptions,
		{ credentialsDecrypted }: { credentialsDecrypted: ICredentialsDecrypted },
	): Promise<unknown> =>
		await helpers.request({
			method,
			uri: url,
			headers: { ...headers, Authorization: `Bearer ${String(credentialsDecrypted.data?.apiKey)}` },
			timeout,
			useStream: true,
			followRedirect: false,
			simple: false,
			resolveWithFullResponse: true,
		});
	return {
		// n8n shows only the message of an error here, so the node doesn't matter.
		getNode: () => ({}),
		getCredentials: async () => await Promise.resolve(credential),
		helpers: { httpRequestWithAuthentication },
	} as unknown as RequestContext;
}
