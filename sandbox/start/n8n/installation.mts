import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

import { runNpm } from './command.mts';

/** Contains n8n's manifest, its lock file, and npm's settings. */
const manifestFolder = join(import.meta.dirname, 'versions/2');
const files = ['package.json', 'package-lock.json', '.npmrc'];
const compilerRemedy =
	'Where no ready-made sqlite3 can be downloaded, a C++ compiler, make and Python 3 are needed ("apt-get install build-essential python3", or "xcode-select --install" on macOS), and a cache folder without a blank in its name (XDG_CACHE_HOME).';

/**
 * Installs n8n in the user's cache folder, unless it is there.
 *
 * @returns the folder whose node_modules contains n8n
 * @throws {InstallationError} if npm fails; the next call starts over
 * @throws {Error} an AbortError if stopped
 */
export async function installN8n(signal: AbortSignal): Promise<string> {
	const folder = installationFolder();
	if (existsSync(folder)) return folder;
	// One folder per process, so that simultaneous installations don't collide.
	const partial = `${folder}.partial-${process.pid}`;
	try {
		mkdirSync(partial, { recursive: true });
		for (const name of files) copyFileSync(join(manifestFolder, name), join(partial, name));
		console.log(
			`Installing n8n (2.2 GB) in ${folder}: 2 to 5 minutes, only the first time on this computer.`,
		);
		// `npm ci` rejects this lock file, because it leaves out optional packages of other platforms.
		await runNpm(['install'], { cwd: partial, signal });
		await installSqlite(partial, signal);
		// Renamed when it is complete, so that a partial installation is never used.
		if (!existsSync(folder)) await rename(partial, folder);
	} finally {
		await rm(partial, { recursive: true, force: true });
	}
	return folder;
}

/**
 * Returns the cache folder of this n8n.
 *
 * It differs for each set of dependencies, platform and architecture.
 */
function installationFolder(): string {
	const { XDG_CACHE_HOME } = process.env;
	const defaultCache = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
	// The XDG specification requires ignoring relative paths.
	const isConfigured = XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME);
	const cache = isConfigured ? XDG_CACHE_HOME : join(homedir(), defaultCache);
	const manifest = readFileSync(join(manifestFolder, 'package.json'), 'utf8');
	const { dependencies } = JSON.parse(manifest) as { dependencies: { n8n: string } };
	const hash = createHash('sha256')
		.update(manifest)
		.update(readFileSync(join(manifestFolder, 'package-lock.json')))
		.update(`${process.platform} ${process.arch}`)
		.digest('hex')
		.slice(0, 12);
	return join(cache, 'n8n-nodes-backlink-exchange', `n8n-${dependencies.n8n}-${hash}`);
}

/** Installs the native module of n8n's default database: it is downloaded, or else compiled. */
async function installSqlite(folder: string, signal: AbortSignal): Promise<void> {
	// The C++ headers of this Node: without them node-gyp downloads some, and a user's
	// npm_config_nodedir may point to those of another Node. It is a link, because make can't compile
	// in a folder with a space in its name.
	const headers = join(folder, 'node-headers');
	symlinkSync(join(dirname(process.execPath), '..'), headers);
	console.log(
		"Preparing n8n's database module: some seconds; 2 minutes where it must be compiled.",
	);
	const cwd = join(folder, 'node_modules/sqlite3');
	// Run explicitly: npm 12 doesn't run scripts of dependencies, and `npm rebuild` then succeeds
	// without building anything.
	await runNpm(
		['run', 'install'],
		{ cwd, env: { npm_config_nodedir: headers }, signal },
		compilerRemedy,
	);
	rmSync(headers);
}
