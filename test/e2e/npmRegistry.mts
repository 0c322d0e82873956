/**
 * registry.npmjs.org, on loopback, with packages of our own. Another registry would need a licence in n8n; its default one behind a
 * proxy needs none.
 */
import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startInterceptor } from './interceptor.mts';

export interface NpmRegistry {
	/** Environment variables of an n8n or an npm that is to reach this registry; npm is logged in. */
	environment: Record<string, string>;
	close(): Promise<void>;
}

interface Manifest {
	name: string;
	version: string;
}

/** What npm sends (libnpmpublish of npm 11.19): one version, and its tarball. */
interface Sent {
	versions: Record<string, Manifest>;
	_attachments: Record<string, { data: string }>;
}

const origin = 'https://registry.npmjs.org';

export async function startNpmRegistry(): Promise<NpmRegistry> {
	const { server, folder, certificate, environment, close } = await startInterceptor();
	const settings = join(folder, 'npmrc');
	writeFileSync(settings, '//registry.npmjs.org/:_authToken=a-token-that-can-only-stage\n');

	const staged = new Map<string, Sent>();
	const tarballs = new Map<string, Buffer>();
	const versions = new Map<string, Manifest & { dist: object }>();
	let latest: string | undefined;

	function approve({ versions: sent, _attachments: attachments }: Sent): void {
		const [manifest] = Object.values(sent);
		const [attachment] = Object.entries(attachments);
		if (manifest === undefined || attachment === undefined) throw new Error('Nothing was sent.');
		const [file, { data }] = attachment;
		const content = Buffer.from(data, 'base64');
		const dist = {
			tarball: `${origin}/${manifest.name}/-/${file}`,
			integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
			shasum: createHash('sha1').update(content).digest('hex'),
		};
		tarballs.set(file, content);
		versions.set(manifest.version, { ...manifest, dist });
		latest = manifest.version;
	}

	await server
		.forPost(`${origin}/-/stage/package/n8n-nodes-backlink-exchange`)
		.always()
		.thenCallback(async (request) => {
			const stageId = randomUUID();
			staged.set(stageId, (await request.body.getJson()) as Sent);
			return { statusCode: 201, json: { stageId } };
		});
	await server
		.forPost(new RegExp(`^${origin}/-/stage/[^/]+/approve$`))
		.always()
		.thenCallback((request) => {
			const sent = staged.get(new URL(request.url).pathname.split('/')[3] ?? '');
			if (sent === undefined) return { statusCode: 404, json: { error: 'Not found' } };
			if (request.headers['npm-otp'] === undefined) {
				return { statusCode: 401, json: { error: 'A second factor is needed' } };
			}
			approve(sent);
			return { statusCode: 200, json: {} };
		});
	await server
		.forGet(new RegExp(`^${origin}/n8n-nodes-backlink-exchange`))
		.always()
		.thenCallback((request) => {
			const { pathname } = new URL(request.url);
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
			...environment,
			// npm prefers what a machine's own settings name.
			npm_config_cafile: certificate,
			npm_config_userconfig: settings,
			npm_config_cache: join(folder, 'cache'),
			npm_config_update_notifier: 'false',
			// Whatever the npm above these tests was told: what it says is read.
			npm_config_loglevel: 'notice',
		},
		close,
	};
}
