import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
	NodeApiError,
} from 'n8n-workflow';

import { ServiceConnection } from '../service/connection';
import type { RequestContext } from '../service/request';
import { inOneText, isExplanation } from '../words/explanation';
import { readWholeList } from './list';

/** Somebody is waiting before the credential's form. */
const settings = { maxRateLimitWait: 5, timeout: 10 };

/**
 * The test of the credential: lists the sites as the nodes do, and says in their words what is wrong and how to put it right.
 * The declarative test cannot: for anything but an HTTP status n8n shows a bare code such as ECONNREFUSED. Each node names
 * this method in `testedBy`.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const context = contextOf(this, data);
	try {
		const connection = await ServiceConnection.open(context, settings);
		const sites = await readWholeList(connection, 'sites', { wanted: 1 });
		if (!isExplanation(sites)) return { status: 'OK', message: 'Connection successful' };
		return { status: 'Error', message: inOneText(sites) };
	} catch (error) {
		return { status: 'Error', message: inOneText(error as NodeApiError) };
	}
}

/** The context of a node, as far as requests need it, made of `helpers.request`: a credential's test has no other way to send. */
function contextOf(
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
		// Errors name their node, but n8n shows only their text here.
		getNode: () => ({}),
		getCredentials: async () => await Promise.resolve(credential),
		helpers: { httpRequestWithAuthentication },
	} as unknown as RequestContext;
}
