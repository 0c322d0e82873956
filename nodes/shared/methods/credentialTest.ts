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

/** Seconds; they are few, because somebody is waiting before the form of the credential. */
const options = { maxRateLimitWaitMs: 5000, timeoutMs: 10_000 };

/**
 * The test of the credential: lists the sites as the nodes do, and says in their words what is wrong and how to put it right.
 * The declarative test cannot: for anything but an HTTP status n8n shows a bare code such as ECONNREFUSED. Each node names
 * this method in `testedBy`.
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

/** What requests need of a node's context, made of `helpers.request`, because the test of a credential has no other way to send. */
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
		// n8n shows only the text of an error here, so nobody sees which node it names.
		getNode: () => ({}),
		getCredentials: async () => await Promise.resolve(credential),
		helpers: { httpRequestWithAuthentication },
	} as unknown as RequestContext;
}
