/**
 * registry.npmjs.org, on loopback, with packages of our own: n8n reaches it through its proxy settings, and so does the npm that it runs.
 * Another registry would need a licence in n8n; its default one behind a proxy needs none. Nothing goes out: the proxy refuses the rest.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { generateCACertificate, getLocal } from 'mockttp';

export interface NpmRegistry {
	/** Environment variables of an n8n that is to reach this registry. */
	environment: Record<string, string>;
	/** Offers what `npm pack` has made; the one that is published last is the latest. */
	publish(tarball: string): void;
	/** What was asked for, as `GET <path>`. */
	requests: string[];
	close(): Promise<void>;
}

interface Manifest {
	name: string;
	version: string;
}

const origin = 'https://registry.npmjs.org';

export async function startNpmRegistry(): Promise<NpmRegistry> {
	const authority = await generateCACertificate();
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-npm-'));
	const certificate = join(folder, 'authority.pem');
	writeFileSync(certificate, authority.cert);
	const server = getLocal({ https: authority });
	await server.start();

	const requests: string[] = [];
	const tarballs = new Map<string, Buffer>();
	const versions = new Map<string, Manifest & { dist: object }>();
	let latest: string | undefined;
	await server
		.forGet(new RegExp(`^${origin}/n8n-nodes-backlink-exchange`))
		.always()
		.thenCallback((request) => {
			const { pathname } = new URL(request.url);
			requests.push(`GET ${pathname}`);
			const [, name, version, file] = pathname.split('/');
			const tarball = file === undefined ? undefined : tarballs.get(file);
			if (tarball) return { statusCode: 200, body: tarball };
			const one = versions.get((version === 'latest' ? latest : version) ?? '');
			if (one) return { statusCode: 200, json: one };
			if (version !== undefined || latest === undefined) {
				return { statusCode: 404, json: { error: 'Not found' } };
			}
			const all = Object.fromEntries(versions);
			return { statusCode: 200, json: { name, 'dist-tags': { latest }, versions: all } };
		});
	return {
		environment: {
			HTTPS_PROXY: server.url,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificate,
			// npm prefers what a machine's own settings name.
			npm_config_cafile: certificate,
			npm_config_userconfig: join(folder, 'npmrc'),
			npm_config_cache: join(folder, 'cache'),
			npm_config_update_notifier: 'false',
		},
		publish: (tarball) => {
			const manifest = readManifest(tarball);
			const content = readFileSync(tarball);
			const file = basename(tarball);
			const dist = {
				tarball: `${origin}/${manifest.name}/-/${file}`,
				integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
				shasum: createHash('sha1').update(content).digest('hex'),
			};
			tarballs.set(file, content);
			versions.set(manifest.version, { ...manifest, dist });
			latest = manifest.version;
		},
		requests,
		close: async () => {
			await server.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** The package.json in a packed package. */
export function readManifest(tarball: string): Manifest {
	const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], {
		encoding: 'utf8',
	});
	return JSON.parse(text) as Manifest;
}
