import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

import { runNpm } from './command.mts';

/** The n8n that is installed: its manifest, its lock file, and npm's settings for it. */
const manifestFolder = join(import.meta.dirname, 'versions/2');
const files = ['package.json', 'package-lock.json', '.npmrc'];
const compilerRemedy =
	'Where no ready-made sqlite3 can be downloaded, a C++ compiler, make and Python 3 are needed ("apt-get install build-essential python3", or "xcode-select --install" on macOS), and a cache folder without a blank in its name (XDG_CACHE_HOME).';

/**
 * Makes sure that n8n is installed in the user's cache folder, from its manifest and lock file.
 *
 * @returns the folder whose node_modules holds n8n
 * @throws InstallationError, or an AbortError when stopped; the next call then starts over
 */
export async function installN8n(signal: AbortSignal): Promise<string> {
	const folder = installationFolder();
	if (existsSync(folder)) return folder;
	// Of its own for each process, so that two that install at the same time do not meet.
	const partial = `${folder}.partial-${process.pid}`;
	try {
		mkdirSync(partial, { recursive: true });
		for (const name of files) copyFileSync(join(manifestFolder, name), join(partial, name));
		console.log(
			`Installing n8n (2.2 GB) in ${folder}: 2 to 5 minutes, only the first time on this computer.`,
		);
		// `npm ci` refuses this lock file, because it leaves out optional packages of other platforms.
		await runNpm(['install'], { cwd: partial, signal });
		await installSqlite(partial, signal);
		// Complete: only now it can be taken for an installation.
		if (!existsSync(folder)) await rename(partial, folder);
	} finally {
		await rm(partial, { recursive: true, force: true });
	}
	return folder;
}

/** Where n8n belongs, among what this system keeps and can download again: another folder for each set of dependencies and kind of machine. */
function installationFolder(): string {
	const { XDG_CACHE_HOME } = process.env;
	const own = process.platform === 'darwin' ? 'Library/Caches' : '.cache';
	// The XDG specification says to ignore a relative one.
	const isNamed = XDG_CACHE_HOME !== undefined && isAbsolute(XDG_CACHE_HOME);
	const cache = isNamed ? XDG_CACHE_HOME : join(homedir(), own);
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

/** The one native module that n8n's default database needs: a ready one is downloaded, or else it is compiled here. */
async function installSqlite(folder: string, signal: AbortSignal): Promise<void> {
	// The C++ headers of this Node: without them node-gyp downloads some, and a user's own npm_config_nodedir may point to
	// another Node's. A link, because they may lie in a folder with a blank in its name, with which make cannot compile.
	const headers = join(folder, 'node-headers');
	symlinkSync(join(dirname(process.execPath), '..'), headers);
	console.log(
		"Preparing n8n's database module: some seconds; 2 minutes where it must be compiled.",
	);
	const cwd = join(folder, 'node_modules/sqlite3');
	// By its name: since version 12, npm runs no script of a dependency by itself, and `npm rebuild` then ends well without
	// having built anything.
	await runNpm(
		['run', 'install'],
		{ cwd, env: { npm_config_nodedir: headers }, signal },
		compilerRemedy,
	);
	rmSync(headers);
}
