/**
 * Answers for addresses of the internet, on loopback: n8n reaches them through its proxy settings,
 * and so does npm. Nothing goes out: what nobody answers for is refused.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generateCACertificate, getLocal, type Mockttp } from 'mockttp';

export interface Interceptor {
	server: Mockttp;
	/** An empty folder for as long as it runs. */
	folder: string;
	/** The file of the authority that has signed its certificates. */
	certificate: string;
	/** Environment variables of who is to reach it. */
	environment: Record<string, string>;
	close: () => Promise<void>;
}

export async function startInterceptor(): Promise<Interceptor> {
	const authority = await generateCACertificate();
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-interceptor-'));
	const certificate = join(folder, 'authority.pem');
	writeFileSync(certificate, authority.cert);
	const server = getLocal({ https: authority });
	await server.start();
	return {
		server,
		folder,
		certificate,
		environment: {
			HTTPS_PROXY: server.url,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificate,
		},
		close: async () => {
			await server.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
