/**
 * Loaded into n8n, and into the npm that it starts, before anything else. Sends requests to the
 * hosts that a test plays to the test's server, with the host as the first segment of the path.
 */
import nock from 'nock';

const server = process.env.TEST_MOCKED_HOSTS_SERVER ?? '';
const hosts = process.env.TEST_MOCKED_HOSTS ?? '';
const methods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/** Headers of the connection, and of a compressed body: nock has decompressed it. */
const ownHeaders = ['connection', 'content-encoding', 'content-length', 'host'];

/**
 * Sends a request to the test's server.
 *
 * @param {string} host
 * @param {Request} request
 * @returns {Promise<[number, Buffer, Record<string, string>]>}
 */
async function forward(host, request) {
	const { pathname, search } = new URL(request.url);
	const headers = new Headers(request.headers);
	for (const name of ownHeaders) headers.delete(name);
	const body = Buffer.from(await request.arrayBuffer());
	const response = await fetch(`${server}/${host}${pathname}${search}`, {
		method: request.method,
		headers,
		redirect: 'manual',
		...(body.length > 0 && { body }),
	});
	const content = Buffer.from(await response.arrayBuffer());
	return [response.status, content, Object.fromEntries(response.headers)];
}

for (const host of hosts.split(',')) {
	const scope = nock(`https://${host}`).persist();
	for (const method of methods) {
		scope.intercept(/^/, method).reply((/** @type {Request} */ request) => forward(host, request));
	}
}
