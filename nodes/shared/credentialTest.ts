import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { parseJson } from './body';
import { type NetworkError, readNetworkError } from './networkError';
import { describeBody, readError, readList, type ServiceResponse, shorten } from './response';

/** Seconds; somebody is waiting before the credential's form. */
const timeout = 20;
const notAnAddress = 'The base URL is not a web address. Check its spelling.';
const keyPlace = 'Settings, then API Keys, in the dashboard of the service';

/**
 * The test of the credential: lists the sites, and says in one or two sentences what is wrong and how to put it right. The
 * declarative test cannot: for anything but an HTTP status n8n shows a bare code such as ECONNREFUSED. Each node names
 * this method in `testedBy`. n8n hands such a test no other way to send a request than this one.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	const apiKey = textOf(data.apiKey);
	const baseUrl = textOf(data.baseUrl).replace(/[\s/]+$/, '');
	const mistake = mistakeIn(baseUrl, apiKey);
	if (mistake !== undefined) return { status: 'Error', message: mistake };
	const url = `${baseUrl}/sites`;
	let answer: { statusCode: number; headers: Record<string, unknown>; body?: unknown };
	try {
		answer = (await helpers.request({
			method: 'GET',
			uri: url,
			headers: { Accept: 'application/json', Authorization: `Bearer ${apiKey}` },
			// The key is for this address alone.
			followRedirect: false,
			simple: false,
			resolveWithFullResponse: true,
			timeout: timeout * 1000,
		})) as typeof answer;
	} catch (error) {
		return { status: 'Error', message: explainNoAnswer(new URL(baseUrl), readNetworkError(error)) };
	}
	const text = typeof answer.body === 'string' ? answer.body : '';
	const response: ServiceResponse = {
		url,
		statusCode: answer.statusCode,
		headers: Object.fromEntries(
			Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
		),
		text,
		json: parseJson(text),
	};
	const problem = explain(response, baseUrl);
	return problem === undefined
		? { status: 'OK', message: 'Connection successful' }
		: { status: 'Error', message: problem.replaceAll(apiKey, '(API key)') };
}

/** What can be said without a request. */
function mistakeIn(baseUrl: string, apiKey: string): string | undefined {
	if (baseUrl === '') {
		return 'Enter the base URL: the address of the service followed by /api, for example https://app.example.com/api.';
	}
	// The slashes at its end have been taken off.
	if (/^https?:$/i.test(baseUrl)) return notAnAddress;
	if (!/^https?:\/\//i.test(baseUrl)) {
		return /^[a-z][a-z\d+.-]*:\/\//i.test(baseUrl)
			? 'The base URL has to begin with https://.'
			: `The base URL lacks https:// at its beginning. Enter it as https://${shorten(baseUrl, 100)}.`;
	}
	if (!URL.canParse(baseUrl)) return notAnAddress;
	const { username, password, search, hash } = new URL(baseUrl);
	if (`${username}${password}${search}${hash}` !== '') {
		return 'The base URL has to end in /api, without a user, a question mark or a number sign.';
	}
	if (apiKey === '') return `Enter the API key. It is under ${keyPlace}.`;
	if (!/^[\x21-\x7e]+$/.test(apiKey)) {
		return `The API key contains blanks or characters that no key has. Copy it again from ${keyPlace}.`;
	}
	return undefined;
}

function explainNoAnswer(
	{ protocol, hostname, host }: URL,
	{ code, obstacle }: NetworkError,
): string {
	if (obstacle === 'blocked') {
		return `n8n is set to block requests to ${host}. Check the base URL, or ask the administrator of n8n to allow it.`;
	}
	if (obstacle === 'certificate') {
		return `The certificate of ${host} is not valid (${code}). Check the base URL; the server needs a certificate for this name.`;
	}
	if (code === 'ECONNREFUSED') {
		const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
		return `Nothing answers at ${host}: it refused the connection. Check the base URL and its port, and that the service is running.${isLocal ? ' If n8n runs in Docker, localhost is its own container: use host.docker.internal or the name of the other container.' : ''}`;
	}
	if (/^(ENOTFOUND|EAI_)/.test(code)) {
		return `The host ${hostname} is not known. Check the spelling of the base URL, and that n8n has access to the network.`;
	}
	if (/^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT|ERR_CANCELED)$/.test(code)) {
		return `${host} did not answer within ${timeout} seconds. Check the base URL, and whether a firewall is in between.`;
	}
	if (/^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(code)) {
		return `${host} does not speak HTTPS. Check the port; only a local server without HTTPS has a base URL that begins with http://.`;
	}
	if (/^(EHOSTUNREACH|ENETUNREACH)$/.test(code)) {
		return `n8n has no way through the network to ${host} (${code}). Check the base URL and the network of n8n.`;
	}
	const hint = protocol === 'http:' ? ' Does the base URL have to begin with https://?' : '';
	return `${host} gave no answer (${code}).${hint} Check the base URL, and try again.`;
}

/** What is wrong with the answer; undefined if it is a list of sites. */
function explain(response: ServiceResponse, baseUrl: string): string | undefined {
	const { statusCode, json, text } = response;
	const { code, message } = readError(json);
	const words = message === undefined ? '' : shorten(message, 200).replace(/\.$/, '');
	const said = words === '' ? '' : ` The service says: "${words}".`;
	const ending = baseUrl.endsWith('/api')
		? 'Is this the address of the service?'
		: 'The base URL has to end in /api.';

	if (statusCode >= 300 && statusCode < 400) return explainRedirect(response, baseUrl);
	if (statusCode === 401) {
		return `The service does not accept this API key.${said} Copy it again from ${keyPlace}.`;
	}
	if (statusCode === 402 || statusCode === 403) {
		return `The service refuses access with this API key.${said} The API needs the Pro or the Agency plan: check the plan of the account. If it has one, copy the key again from ${keyPlace}.`;
	}
	if (statusCode === 404 || statusCode === 405 || statusCode === 410) {
		return `Nothing was found at this address (HTTP ${statusCode}).${said} ${ending}`;
	}
	if (statusCode === 429) {
		return `The request limit of the service is reached, so the API key could not be tested.${said} Try again in a minute.`;
	}
	if (/plain HTTP request|HTTP request to an HTTPS/i.test(text)) {
		return 'This server speaks HTTPS here. Enter the base URL with https:// instead of http://.';
	}
	if (statusCode >= 500) {
		return `The service is not available right now (HTTP ${statusCode}).${said} Try again later.`;
	}
	if (statusCode < 200 || statusCode >= 300 || message !== undefined || code !== undefined) {
		return `The service did not list the sites (HTTP ${statusCode}).${said} ${ending}`;
	}
	if (readList(json, 'sites') !== undefined) return undefined;
	if (/^\s*</.test(text)) return `This address answers with a web page, not with data. ${ending}`;
	return `This address does not answer like the service: expected a list of sites, received ${describeBody(response)}. ${ending}`;
}

function explainRedirect({ headers }: ServiceResponse, baseUrl: string): string {
	const { location } = headers;
	const target =
		location !== undefined && URL.canParse(location, baseUrl)
			? new URL(location, baseUrl)
			: undefined;
	if (target === undefined) {
		return 'This address redirects to another one, without naming it. Enter the final address as the base URL.';
	}
	const from = new URL(baseUrl);
	if (
		from.protocol === 'http:' &&
		target.protocol === 'https:' &&
		target.hostname === from.hostname
	) {
		return 'This address redirects to HTTPS. Enter the base URL with https:// instead of http://.';
	}
	const suggestion = shorten(target.origin + target.pathname.replace(/\/sites\/?$/, ''), 150);
	return `This address redirects to ${suggestion}. The API key is not sent on: if that is the service, enter its address, ending in /api, as the base URL.`;
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}
