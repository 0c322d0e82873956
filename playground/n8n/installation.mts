import { createHash } from 'node:crypto';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
} from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { requireDiskSpace, requireWorking } from '../../scripts/installation.mjs';
import { withLock } from '../../scripts/lock.mjs';
import { runNpm } from '../../scripts/npm.mjs';
import { cacheFolder } from './cache.mts';
import { manifestFolder, newestN8n, requireVersion } from './versions.mts';

const compilerRemedy =
	'Where no ready-made sqlite3 can be downloaded, a C++ compiler, make and Python 3 are needed ("apt-get install build-essential python3", or "xcode-select --install" on macOS), and a cache folder without a blank in its name (XDG_CACHE_HOME).';

/**
 * Makes sure that n8n is installed in the user's cache folder, from its manifest and lock file in `versions/`.
 *
 * @param version one of `n8nVersions`
 * @returns the folder whose node_modules holds n8n
 * @throws InstallationError in plain English, or the signal's reason when stopped; the next call then starts over
 */
export async function installN8n(signal: AbortSignal, version = newestN8n): Promise<string> {
	const manifests = manifestFolder(requireVersion(version));
	const folder = installationFolder(manifests, version);
	if (existsSync(folder)) return folder;
	const parent = dirname(folder);
	const install = async (): Promise<void> => {
		if (existsSync(folder)) return; // another run has just done it
		const partial = `${folder}.partial`;
		mkdirSync(parent, { recursive: true });
		for (const name of readdirSync(parent)) {
			if (name.endsWith('.partial')) await rm(join(parent, name), { recursive: true });
		}
		requireDiskSpace(parent, 3e9, 'installing n8n');
		mkdirSync(partial);
		for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
			copyFileSync(join(manifests, name), join(partial, name));
		}
		await installDependencies(partial, version, signal);
		await installSqlite(partial, signal);
		await rename(partial, folder); // complete: only now it can be taken for an installation
		console.log(
			`n8n is in ${parent}, in the folder ${basename(folder)}; deleting it frees the space.`,
		);
	};
	await withLock(join(parent, 'installing.lock'), install, { signal });
	return folder;
}

/** Where n8n belongs: another folder for each version, set of dependencies and kind of machine. */
function installationFolder(manifests: string, version: string): string {
	const hash = createHash('sha256')
		.update(readFileSync(join(manifests, 'package.json')))
		.update(readFileSync(join(manifests, 'package-lock.json')))
		.update(`${process.platform} ${process.arch}`)
		.digest('hex')
		.slice(0, 12);
	return join(cacheFolder(), `n8n-${version}-${hash}`);
}

async function installDependencies(
	folder: string,
	version: string,
	signal: AbortSignal,
): Promise<void> {
	// `npm ci` refuses this lock file, because it leaves out optional packages of other platforms.
	await runNpm(['install'], {
		cwd: folder,
		signal,
		title: `Installing n8n ${version} (2.2 GB)`,
		usually: '2 to 5 minutes; only the first time on this computer',
	});
}

/** The one native module that n8n's default database needs: a ready one is downloaded, or else it is compiled here. */
async function installSqlite(folder: string, signal: AbortSignal): Promise<void> {
	// The C++ headers of this Node: without them node-gyp downloads some, and a user's own npm_config_nodedir may point to
	// another Node's. A link, because they may lie in a folder with a blank in its name, with which make cannot compile.
	const headers = join(folder, 'node-headers');
	symlinkSync(join(dirname(process.execPath), '..'), headers);
	// By its name: since version 12, npm runs no script of a dependency by itself, and `npm rebuild` then ends well without
	// having built anything.
	await runNpm(['run', 'install'], {
		cwd: join(folder, 'node_modules/sqlite3'),
		env: { npm_config_nodedir: headers },
		signal,
		title: "Preparing n8n's database module",
		usually: 'some seconds; 2 minutes where it must be compiled',
		network: false,
		remedy: compilerRemedy,
	});
	rmSync(headers);
	await requireWorking("n8n's database module", {
		command: process.execPath,
		args: ['--eval', "require('sqlite3')"],
		cwd: folder,
		signal,
		remedy: compilerRemedy,
	});
}
