/**
 * Hosts of the internet that a test plays for n8n, such as slack.com.
 *
 * nock, loaded into n8n's processes and into npm, sends each request to one of these hosts to a
 * server in the test's own process. There is no proxy, and no certificate. All other requests go
 * where they always go.
 */
import { fastify, type FastifyInstance } from 'fastify';

/** Adds the routes of a host. Its other paths respond 404. */
export type HostRoutes = (routes: FastifyInstance) => void;

export interface MockedHosts {
	/** Environment variables of an n8n that uses these hosts. */
	environment: { NODE_OPTIONS: string } & Record<string, string>;
	close: () => Promise<void>;
}

/**
 * Starts the server for these hosts.
 *
 * @param hosts by their name, such as `slack.com`; n8n reaches them with https
 */
export async function startMockedHosts(hosts: Record<string, HostRoutes>): Promise<MockedHosts> {
	const server = fastify();
	for (const [host, addRoutes] of Object.entries(hosts)) {
		server.register(
			(routes, _options, done) => {
				addRoutes(routes);
				done();
			},
			{ prefix: `/${host}` },
		);
	}
	const url = await server.listen({ host: '127.0.0.1', port: 0 });
	const names = Object.keys(hosts);
	return {
		environment: {
			// As a URL, because the path may contain spaces.
			NODE_OPTIONS: `--import ${new URL('mockedHostsPreload.mjs', import.meta.url).href}`,
			TEST_MOCKED_HOSTS: names.join(','),
			TEST_MOCKED_HOSTS_SERVER: url,
			// Through the proxy of a machine, nock would see requests to the proxy.
			NO_PROXY: ['127.0.0.1', 'localhost', ...names].join(','),
		},
		close: async () => {
			await server.close();
		},
	};
}
