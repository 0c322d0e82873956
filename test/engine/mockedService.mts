/**
 * A service at an https address whose responses a test scripts with nock, endpoint by endpoint.
 *
 * Not for what happens on a connection (resets, timeouts, cut responses): that needs a server, see
 * stubServer.mts. docs/development/writing-tests.md has the traps of nock.
 */
import nock from 'nock';
import { onTestFinished } from 'vitest';

import { createNodeRunner, type NodeRunner } from './nodeRunner.mts';

export interface MockedService extends NodeRunner {
	/** nock's scope of the base URL: `api.get('/sites').reply(200, [])` responds once. */
	api: nock.Scope;
	baseUrl: string;
	/** Received requests, in order, such as `GET /sites`. */
	requests: string[];
}

// The other files of this process get node:http as it is.
nock.restore();

/** Scopes of the running test. */
let scopes: nock.Scope[] = [];
/** Requests of the running test for which no response is scripted. */
let unexpectedRequests: string[] = [];

/**
 * Creates a service with a host of its own, because the nodes remember what they know about one.
 * Every request must have the API key.
 *
 * The test fails if a scripted response was not requested, or if a request had none: nock responds
 * 501 to it, which the nodes retry like other responses of a server that is down. Not for
 * concurrent tests.
 *
 * @param onFinished called with the checks for the end of the test
 */
export function mockService(
	{ apiKey = 'key_1', path = '/api' } = {},
	onFinished: (end: () => void) => void = onTestFinished,
): MockedService {
	if (!nock.isActive()) {
		nock.activate();
		onFinished(finish);
	}
	const origin = `https://${crypto.randomUUID()}.example`;
	const baseUrl = origin + path;
	const requests: string[] = [];
	const toText = ({ method, url }: Request) => `${method} ${url.replace(baseUrl, '')}`;
	const api = nock(baseUrl, { reqheaders: { authorization: `Bearer ${apiKey}` } });
	api.on('request', (request: Request) => requests.push(toText(request)));
	nock.emitter.on('no match', (request) => {
		if (request.url.startsWith(origin)) unexpectedRequests.push(toText(request));
	});
	scopes.push(api);
	return { api, baseUrl, requests, ...createNodeRunner({ baseUrl, apiKey }) };
}

/** Removes all scripted responses, and checks that the test has used them and needed no others. */
function finish(): void {
	const lines = [
		...scopes.flatMap((scope) => scope.pendingMocks()).map((each) => `not requested: ${each}`),
		...unexpectedRequests.map((each) => `no response scripted: ${each}`),
	];
	scopes = [];
	unexpectedRequests = [];
	nock.emitter.removeAllListeners('no match');
	nock.cleanAll();
	nock.restore();
	if (lines.length > 0) throw new Error(lines.join('\n'));
}
