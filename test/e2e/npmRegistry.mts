/**
 * registry.npmjs.org, on loopback, with one package of our own. Another registry would need a
 * licence in n8n; its default one behind a proxy needs none.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { startInterceptor } from './interceptor.mts';

export interface NpmRegistry {
	/** Environment variables of an n8n that is to reach this registry. */
	environment: Record<string, string>;
	close(): Promise<void>;
}

const origin = 'https://registry.npmjs.org';

/** @param tarball the packed package; its manifest is package.json */
export async function startNpmRegistry(tarball: string): Promise<NpmRegistry> {
	const { server, folder, certificate, environment, close } = await startInterceptor();
	const content = readFileSync(tarball);
	const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
	const { name = '', version = '' } = manifest;
	const dist = {
		tarball: `${origin}/${name}/-/${path.basename(tarball)}`,
		integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
	};
	const released = { ...manifest, dist };
	await server
		.forGet(new RegExp(`^${origin}/${name}`))
		.always()
		.thenCallback((request) => {
			const [, , asked, file] = new URL(request.url).pathname.split('/');
			if (file !== undefined) return { statusCode: 200, body: content };
			if (asked !== undefined) return { statusCode: 200, json: released };
			const json = { name, 'dist-tags': { latest: version }, versions: { [version]: released } };
			return { statusCode: 200, json };
		});
	return {
		environment: {
			...environment,
			// npm prefers what a machine's own settings name.
			npm_config_cafile: certificate,
			npm_config_cache: path.join(folder, 'cache'),
		},
		close,
	};
}
