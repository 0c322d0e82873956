/** The engines (n8n-core) of other versions of n8n, installed in the user's cache folder. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { cacheFolder } from '../../playground/n8n/cache.mts';
import { newestN8n } from '../../playground/n8n/versions.mts';
import { withLock } from '../../scripts/lock.mjs';
import { runNpm } from '../../scripts/npm.mjs';

export interface Version {
	n8n: string;
	/** The n8n-core and n8n-workflow that this n8n brings. */
	core: string;
	workflow: string;
	/** Versions of dependencies without which this n8n does not run today. */
	overrides?: Record<string, string>;
	/** What newer versions of n8n do and this one does not: names from `lacking`. */
	lacks: Array<keyof typeof lacking>;
}

/**
 * What an older n8n does not do, with the tests of just that; all others must pass. What it does instead is
 * shown by tests that run only there (`lacks` in test/engine/n8n.mts), or named here.
 */
export const lacking = {
	/** n8n's own sleep knows no signal (before 2.34), which the nodes do not need: they have a pause of their own. */
	abortableSleep: ['stopping a wait ends it at once'],
	/** An error of the network with its cause: the socket, in which one sees that TLS was never established. */
	causeOfError: ['an https address of a server without TLS is said, and that nothing was sent'],
	/** A tunnel to an https address behind an http proxy. */
	httpsProxy: ['tunnels to an https address, and does not see the key'],
} as const;

const root = path.join(import.meta.dirname, '../..');

/** All versions that the engine tests run on, the oldest first; the last one is the one that is developed against. */
export function readVersions(): Version[] {
	const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
	const { devDependencies } = read('package.json') as { devDependencies: Record<string, string> };
	const { 'n8n-core': core = '', 'n8n-workflow': workflow = '' } = devDependencies;
	const older = read('test/versions/versions.json') as Version[];
	return [...older, { n8n: newestN8n, core, workflow, lacks: [] }];
}

/**
 * Makes sure that the engine of that n8n is there.
 * @returns the folder whose node_modules holds n8n-core
 */
export async function installEngine(version: Version): Promise<string> {
	if (version.n8n === newestN8n) return root;
	const manifest = JSON.stringify({
		private: true,
		dependencies: { 'n8n-core': version.core, 'n8n-workflow': version.workflow },
		overrides: { cssomnom: 'npm:rrweb-cssom@0.8.0', xlsx: '0.18.5', ...version.overrides },
	});
	const hash = createHash('sha256').update(manifest).digest('hex').slice(0, 12);
	const folder = path.join(cacheFolder(), `engine-${version.n8n}-${hash}`);
	if (existsSync(folder)) return folder;
	await withLock(path.join(cacheFolder(), 'installing-engine.lock'), async () => {
		if (existsSync(folder)) return; // another run has just done it
		const partial = `${folder}.incomplete`;
		await rm(partial, { recursive: true, force: true });
		mkdirSync(partial, { recursive: true });
		writeFileSync(path.join(partial, 'package.json'), manifest);
		await runNpm(['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], {
			cwd: partial,
			title: `Installing the engine of n8n ${version.n8n}`,
			usually: '1 minute; only the first time on this computer',
		});
		await rename(partial, folder);
	});
	return folder;
}
