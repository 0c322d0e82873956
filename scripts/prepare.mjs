// Usage: node scripts/prepare.mjs <script or command> [arguments …]
//
// Makes sure that the dependencies in package-lock.json and Node 24 are installed, then runs a script of this project
// (scripts/test.mts), or a command that a dependency brings (n8n-node), with Node 24.
// Plain JavaScript without dependencies: it is what runs on a fresh machine, whose Node may be as old as 20.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import {
	install,
	isInstalled,
	modules,
	node24,
	requireSupportedSystem,
	root,
} from './dependencies.mjs';
import { InstallationError } from './installation.mjs';
import { withLock } from './lock.mjs';

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
	// With NODE_USE_ENV_PROXY, Node.js would ask a proxy even for what runs on this machine, such as n8n and the sandbox.
	const { no_proxy: lowerCase, NO_PROXY: upperCase } = process.env;
	const direct = [lowerCase || upperCase, '127.0.0.1', 'localhost'].filter(Boolean).join(',');
	const isScript = /\.m[jt]s$/.test(name);
	const child = spawn(isScript ? node24 : name, isScript ? [join(root, name), ...args] : args, {
		stdio: 'inherit',
		env: {
			...process.env,
			PATH: path,
			NODE_OPTIONS: nodeOptions,
			no_proxy: direct,
			NO_PROXY: direct,
		},
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
