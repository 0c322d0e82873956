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

import { isBuilt, noteBuilt } from '../../scripts/build.mts';
import { runCommand } from '../../scripts/command.mjs';
import { InstallationError, showProgress } from '../../scripts/installation.mjs';
import { runNpm } from '../../scripts/npm.mjs';

const root = join(import.meta.dirname, '../..');

/**
 * Builds and packs this package and installs the tarball where n8n keeps its community packages, unless the very same
 * is there already. What has been built from these sources is not built again.
 *
 * @param data the playground's data folder
 * @param userFolder n8n's user folder
 */
export async function installPackage(
	data: string,
	userFolder: string,
	signal: AbortSignal,
): Promise<void> {
	const stamp = join(data, 'installed-package');
	const hash = hashOfSources();
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;

	const tarball = await packPackage(join(data, 'package'), signal);
	const nodes = join(userFolder, '.n8n', 'nodes');
	mkdirSync(nodes, { recursive: true });
	const manifest = join(nodes, 'package.json');
	if (!existsSync(manifest)) {
		// What n8n itself puts there before it installs its first community package.
		const content = { name: 'installed-nodes', private: true, dependencies: {} };
		writeFileSync(manifest, JSON.stringify(content, null, 2));
	}
	rmSync(stamp, { force: true });
	// Like n8n: no scripts, and no peer dependencies, because n8n-workflow comes from n8n.
	const args = ['install', tarball, '--ignore-scripts', '--legacy-peer-deps', '--no-package-lock'];
	await runNpm([...args, '--no-audit', '--no-fund', '--no-bin-links'], {
		cwd: nodes,
		signal,
		title: 'Installing it in n8n as a community package',
		usually: 'a second or two',
		network: false,
	});
	writeFileSync(stamp, hash);
}

/**
 * Builds the package, packs what would be published into the folder, and returns the tarball's path. PACKED_PACKAGE names one
 * that is packed already: the one that a release is about to publish.
 */
export async function packPackage(folder: string, signal: AbortSignal): Promise<string> {
	const { PACKED_PACKAGE } = process.env;
	if (PACKED_PACKAGE !== undefined) return PACKED_PACKAGE;
	await build(signal);
	return await pack(folder, signal);
}

/** A fingerprint of all that goes into the package. */
function hashOfSources(): string {
	const hash = createHash('sha256');
	const patterns = ['package.json', 'tsconfig.json', '{credentials,icons,nodes}/**'];
	for (const name of globSync(patterns, { cwd: root }).sort()) {
		const file = join(root, name);
		if (!statSync(file).isFile()) continue;
		hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
	}
	return hash.digest('hex');
}

async function build(signal: AbortSignal): Promise<void> {
	if (isBuilt()) return;
	const finished = showProgress('Building the package', '5 to 20 seconds');
	// CI: without a spinner, which would be all over the output that is shown when it fails.
	const env = { ...process.env, CI: 'true', NO_COLOR: '1' };
	const { code, output } = await runCommand('n8n-node', ['build'], { cwd: root, env, signal });
	finished(code === 0 ? 'done' : 'failed');
	if (code !== 0) {
		throw new InstallationError(`The package does not build (n8n-node build):\n\n${output.trim()}`);
	}
	noteBuilt();
}

async function pack(folder: string, signal: AbortSignal): Promise<string> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	await runNpm(['pack', '--ignore-scripts', '--pack-destination', folder], {
		cwd: root,
		signal,
		title: 'Packing it',
		usually: 'a second or two',
		network: false,
	});
	const [tarball] = globSync('*.tgz', { cwd: folder });
	if (tarball === undefined) throw new Error(`npm pack left no tarball in ${folder}.`);
	return join(folder, tarball);
}
