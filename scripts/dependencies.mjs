import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { InstallationError, requireDiskSpace, requireWorking } from './installation.mjs';
import { runNpm } from './npm.mjs';

// Plain JavaScript, because it is what installs Node 24.

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Where npm puts the dependencies. */
export const modules = join(root, 'node_modules');
const nodePackage = packagesOfNode24().find((name) =>
	name.endsWith(`-${process.platform}-${process.arch}`),
);
/** The program of Node 24. It is not taken from node_modules/.bin, where npm 10 leaves it out. */
export const node24 = join(modules, nodePackage ?? '', 'bin', 'node');
const stampFile = join(modules, '.prepared');

/** @throws InstallationError */
export function requireSupportedSystem() {
	if (Number.parseInt(process.versions.node, 10) < 20) {
		throw new InstallationError(
			`This project needs Node.js 20 or newer to start; this is ${process.version}. Install a newer one from https://nodejs.org and run the same command again.`,
		);
	}
	if (process.platform === 'win32') {
		throw new InstallationError(
			'These scripts run on Linux and macOS. On Windows, use them in WSL (https://learn.microsoft.com/windows/wsl).',
		);
	}
	if (nodePackage === undefined) {
		throw new InstallationError(
			`npm has no Node.js 24 for this machine (${process.platform} on ${process.arch}), only ${packagesOfNode24().join(', ')}. Use another machine, a container or a virtual machine.`,
		);
	}
}

/** Whether the dependencies that package-lock.json asks for are installed. */
export function isInstalled() {
	// The stamp lies inside node_modules, which npm ci deletes first: an interrupted installation never has one.
	return (
		existsSync(stampFile) && existsSync(node24) && readFileSync(stampFile, 'utf8') === wantedStamp()
	);
}

/**
 * Installs the dependencies that package-lock.json asks for.
 *
 * @param {AbortSignal} signal
 * @throws InstallationError, or the signal's reason
 */
export async function install(signal) {
	if (isInstalled()) return; // another run has just done it
	requireDiskSpace(root, 1.5e9, 'installing the dependencies');
	await runNpm(['ci'], {
		cwd: root,
		signal,
		title: 'Installing the dependencies of this project',
		usually: '1 to 2 minutes; only now and after updates',
	});
	await requireWorking('Node.js 24', {
		command: node24,
		args: ['--version'],
		cwd: root,
		signal,
		// npm is silent about an optional package that it could not download.
		remedy:
			'If it is not there, npm could not download it, or got something else than package-lock.json names: run the same command again with a working network. It needs glibc; on Alpine, use a container with Debian or Ubuntu.',
	});
	writeFileSync(stampFile, wantedStamp());
}

/** The packages on npm that are Node 24, one for each kind of machine; the lock file has the integrity of each. */
function packagesOfNode24() {
	/** @type {unknown} */
	const manifest = JSON.parse(readFileSync(join(root, 'scripts/node24/package.json'), 'utf8'));
	const { optionalDependencies } = /** @type {{ optionalDependencies: Record<string, string> }} */ (
		manifest
	);
	return Object.keys(optionalDependencies);
}

/** Changes whenever another set of packages is due: another lock file, or another kind of machine. */
function wantedStamp() {
	const lockFile = readFileSync(join(root, 'package-lock.json'));
	const hash = createHash('sha256').update(lockFile).digest('hex');
	return `${hash} ${process.platform} ${process.arch}\n`;
}
