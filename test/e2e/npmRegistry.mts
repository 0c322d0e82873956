/**
 * registry.npmjs.org, with one package of our own. n8n would need a license for another registry.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startMockedHosts } from './mockedHosts.mts';

export interface NpmRegistry {
	/** Environment variables of an n8n that is to reach this registry. */
	environment: Record<string, string>;
	close(): Promise<void>;
}

const host = 'registry.npmjs.org';

/** @param tarball the packed package; its manifest is package.json */
export async function startNpmRegistry(tarball: string): Promise<NpmRegistry> {
	const content = readFileSync(tarball);
	const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>;
	const { name = '', version = '' } = manifest;
	const file = path.basename(tarball);
	const dist = {
		tarball: `https://${host}/${name}/-/${file}`,
		integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
	};
	const released = { ...manifest, dist };
	const { environment, close } = await startMockedHosts({
		[host]: (routes) => {
			routes.get(`/${name}`, () => ({
				name,
				'dist-tags': { latest: version },
				versions: { [version]: released },
			}));
			// n8n asks for a version, or for the tag `latest`.
			routes.get(`/${name}/:version`, () => released);
			routes.get(`/${name}/-/${file}`, () => content);
		},
	});
	const cache = mkdtempSync(path.join(tmpdir(), 'backlink-exchange-npm-cache-'));
	return {
		environment: { ...environment, npm_config_cache: cache },
		close: async () => {
			await close();
			rmSync(cache, { recursive: true, force: true });
		},
	};
}
