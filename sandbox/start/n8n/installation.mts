import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

import { runNpm, type Step } from './command.mts';
import { getInstallationHint } from './installationHints.mts';

/** Contains n8n's manifest, its lock file, and npm's settings. */
const manifestFolder = join(import.meta.dirname, 'versions/2');
const files = ['package.json', 'package-lock.json', '.npmrc'];

/**
 * Installs n8n in the user's cache folder, unless it is there.
 *
 * @param logFile gets the output of npm and the compiler; default: next to the folder
 * @returns the folder whose node_modules contains n8n
 * @throws {InstallationError} if npm fails; the next call starts over
 * @throws {Error} an AbortError if stopped
 */
export async function installN8n(signal: AbortSignal, logFile?: string): Promise<string> {
	const { folder, version } = findInstallation();
	if (existsSync(folder)) return folder;
	// One folder per process, so that simultaneous installations don't collide.
	const partial = `${folder}.partial-${process.pid}`;
	try {
		mkdirSync(partial, { recursive: true });
		for (const name of files) copyFileSync(join(manifestFolder, name), join(partial, name));
		console.log(
			`Installing n8n ${version} in ${folder} (2.2 GB, 2 to 5 minutes, only once on this computer) …`,
		);
		const step = {
			cwd: partial,
			signal,
			logFile: logFile ?? `${folder}.log`,
			failure: "n8n couldn't be installed.",
			getHint: (output: string) => getInstallationHint(output, folder),
		};
		// `npm ci` rejects this lock file, because it leaves out optional packages of other platforms.
		await runNpm(['install'], step);
		await installSqlite(step);
		// Renamed when it is complete, so that a partial installation is never used.
		if (!existsSync(folder)) await rename(partial, folder);
	} finally {
		await rm(partial, { recursive: true, force: true });
	}
	return folder;
}

/**
 * Returns the version of n8n and its folder in the cache.
 *
 * The folder differs for each set of dependencies, platform and architecture.
 */
function findInstallation(): { folder: string; version: string } {
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
	const version = dependencies.n8n;
	return { folder: join(cache, 'n8n-nodes-backlink-exchange', `n8n-${version}-${hash}`), version };
}

/** Installs the native module of n8n's default database: it is downloaded, or else compiled. */
async function installSqlite(step: Step): Promise<void> {
	// The C++ headers of this Node: without them node-gyp downloads some, and a user's
	// npm_config_nodedir may point to those of another Node. It is a link, because make can't compile
	// in a folder with a space in its name.
	const headers = join(step.cwd, 'node-headers');
	symlinkSync(join(dirname(process.execPath), '..'), headers);
	console.log("Preparing n8n's database module (up to 2 minutes) …");
	// Run explicitly: npm 12 doesn't run scripts of dependencies, and `npm rebuild` then succeeds
	// without building anything.
	await runNpm(['run', 'install'], {
		...step,
		cwd: join(step.cwd, 'node_modules/sqlite3'),
		env: { npm_config_nodedir: headers },
		failure: "n8n's database module couldn't be prepared.",
	});
	rmSync(headers);
}
