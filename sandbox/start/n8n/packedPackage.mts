import { createHash } from 'node:crypto';
import {
	existsSync,
	globSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { runNpm, runStep } from './command.mts';

const root = join(import.meta.dirname, '../../..');

/**
 * Builds this package, and installs it as a community package of n8n.
 *
 * It does nothing if the same sources are installed already.
 *
 * @param logFile gets the output of the commands
 */
export async function buildAndInstallPackage(
	data: string,
	userFolder: string,
	signal: AbortSignal,
	logFile: string,
): Promise<void> {
	if (isInstalled(data)) return;
	console.log('Building the Backlink Exchange nodes …');
	await runStep('n8n-node', ['build'], {
		cwd: root,
		signal,
		logFile,
		failure: "The nodes couldn't be built.",
	});
	await installPackage(data, userFolder, signal, logFile);
}

/**
 * Packs this package, which has to be built, and installs the tarball as a community package of
 * n8n.
 *
 * It does nothing if the same sources are installed already.
 *
 * @param data the data folder of `npm start`
 * @param userFolder n8n's user folder
 */
export async function installPackage(
	data: string,
	userFolder: string,
	signal: AbortSignal,
	logFile?: string,
): Promise<void> {
	if (isInstalled(data)) return;
	const stamp = getStampPath(data);
	const tarball = await packPackage(join(data, 'package'), signal, logFile);
	const nodes = join(userFolder, '.n8n', 'nodes');
	mkdirSync(nodes, { recursive: true });
	const manifest = join(nodes, 'package.json');
	if (!existsSync(manifest)) {
		// n8n writes the same file before it installs its first community package.
		const content = { name: 'installed-nodes', private: true, dependencies: {} };
		writeFileSync(manifest, JSON.stringify(content, null, 2));
	}
	rmSync(stamp, { force: true });
	// As n8n does: no scripts, and no peer dependencies, because n8n provides n8n-workflow.
	const args = ['install', tarball, '--ignore-scripts', '--legacy-peer-deps', '--no-package-lock'];
	const failure = "The nodes couldn't be installed in n8n.";
	await runNpm([...args, '--no-bin-links'], { cwd: nodes, signal, logFile, failure });
	writeFileSync(stamp, hashSources());
}

/**
 * Packs what is built, as it would be published.
 *
 * @returns the path of the tarball
 */
export async function packPackage(
	folder: string,
	signal: AbortSignal,
	logFile?: string,
): Promise<string> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
	await runNpm(args, { cwd: root, signal, logFile, failure: "The nodes couldn't be packed." });
	const [tarball] = globSync('*.tgz', { cwd: folder });
	if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}.`);
	return join(folder, tarball);
}

function isInstalled(data: string): boolean {
	const stamp = getStampPath(data);
	return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashSources();
}

function getStampPath(data: string): string {
	return join(data, 'installed-package');
}

/** Returns a hash of all sources of the package. */
function hashSources(): string {
	const hash = createHash('sha256');
	const patterns = ['package.json', 'tsconfig.json', '{credentials,icons,nodes}/**'];
	for (const name of globSync(patterns, { cwd: root }).sort()) {
		const file = join(root, name);
		if (!statSync(file).isFile()) continue;
		hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
	}
	return hash.digest('hex');
}
