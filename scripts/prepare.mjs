// Usage: node scripts/prepare.mjs <script or command> [arguments …]
//
// Makes sure that the dependencies in package-lock.json and Node 24 are installed, then runs a script of this project
// (scripts/test.mts), or a command that a dependency brings (n8n-node), with Node 24.
// Plain JavaScript without dependencies: it is what runs on a fresh machine, whose Node may be as old as 20.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { withLock } from './lock.mjs';
import { InstallationError, requireDiskSpace, requireWorking, runNpm } from './npm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const nodePackage = packagesOfNode24().find((name) =>
	name.endsWith(`-${process.platform}-${process.arch}`),
);
// Not from node_modules/.bin, where npm 10 leaves it out.
const node24 = join(modules, nodePackage ?? '', 'bin', 'node');
const stampFile = join(modules, '.prepared');
/** @type {NodeJS.Signals[]} */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Ends this process with the exit code that a shell gives to what a signal has ended. */
class Stopped extends Error {
	/** @param {NodeJS.Signals} signal */
	constructor(signal) {
		super('Stopped.');
		this.exitCode = 128 + constants.signals[signal];
	}
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

function requireSupportedSystem() {
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

/** Changes whenever another set of packages is due: another lock file, or another kind of machine. */
function wantedStamp() {
	const lockFile = readFileSync(join(root, 'package-lock.json'));
	const hash = createHash('sha256').update(lockFile).digest('hex');
	return `${hash} ${process.platform} ${process.arch}\n`;
}

function isInstalled() {
	// The stamp lies inside node_modules, which npm ci deletes first: an interrupted installation never has one.
	return (
		existsSync(stampFile) && existsSync(node24) && readFileSync(stampFile, 'utf8') === wantedStamp()
	);
}

/** @param {AbortSignal} signal */
async function install(signal) {
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

/**
 * Calls back once npm has ended: npm passes signals only to a shell, which ends without passing them on.
 *
 * @param {(signal: NodeJS.Signals) => void} callback
 */
function onceAbandoned(callback) {
	if (process.env.npm_lifecycle_event === undefined) return;
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		callback('SIGTERM');
	}, 250);
	timer.unref();
}

/** Installs what is missing. Ctrl-C and the like stop it; the next run then starts over. */
async function prepare() {
	requireSupportedSystem();
	if (isInstalled()) return;
	const stopping = new AbortController();
	const stop = (/** @type {NodeJS.Signals} */ name) => {
		stopping.abort(new Stopped(name));
	};
	for (const name of endingSignals) process.on(name, stop);
	onceAbandoned(stop);
	await withLock(join(root, '.prepare.lock'), () => install(stopping.signal), {
		signal: stopping.signal,
	});
	for (const name of endingSignals) process.off(name, stop);
}

/**
 * Runs a script or a command in Node 24 as if it had been started itself: same terminal, same signals, same exit code.
 *
 * @param {string} name
 * @param {string[]} args
 */
function run(name, args) {
	const path = [dirname(node24), join(modules, '.bin'), process.env.PATH].join(delimiter);
	// The first Node.js 24, which is the one for macOS, warns of what the later ones do not: types, SQLite.
	const nodeOptions = `${process.env.NODE_OPTIONS ?? ''} --disable-warning=ExperimentalWarning`;
	const isScript = /\.m[jt]s$/.test(name);
	const child = spawn(isScript ? node24 : name, isScript ? [join(root, name), ...args] : args, {
		stdio: 'inherit',
		env: { ...process.env, PATH: path, NODE_OPTIONS: nodeOptions },
	});
	for (const signal of endingSignals) {
		process.on(signal, () => {
			// A terminal sends Ctrl-C to all its processes by itself.
			if (signal === 'SIGINT' && process.stdin.isTTY) return;
			child.kill(signal);
		});
	}
	onceAbandoned((signal) => child.kill(signal));
	child.on('error', (error) => {
		console.error(error.message);
		process.exitCode = 1;
	});
	child.on('close', (code, signal) => {
		process.exit(code ?? (signal === null ? 1 : 128 + constants.signals[signal]));
	});
}

try {
	const [name, ...args] = process.argv.slice(2);
	if (name === undefined) {
		throw new InstallationError(
			'Usage: node scripts/prepare.mjs <script or command> [arguments …]',
		);
	}
	await prepare();
	run(name, args);
} catch (error) {
	// A stopped timer rejects with an AbortError around the reason.
	const reason = error instanceof Error && error.name === 'AbortError' ? error.cause : error;
	const expected = reason instanceof InstallationError || reason instanceof Stopped;
	console.error(expected ? reason.message : reason);
	process.exitCode = reason instanceof Stopped ? reason.exitCode : 1;
}
