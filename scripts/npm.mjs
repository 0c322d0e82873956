import { spawn } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

// Plain JavaScript, because it is needed before Node 24 is there. Types for the rest of the project: npm.d.mts.

const noNetwork = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN)\b/;
const connectionTrouble = /\b(ETIMEDOUT|ECONNRESET|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|ENOTCACHED)\b/;
const diskFull = /\b(ENOSPC|EDQUOT)\b/;

/** Something that the user can put right; its message says what happened and what to do. */
export class InstallationError extends Error {}

/** Throws an InstallationError unless the disk under `folder` (which need not exist yet) has that many bytes free. */
export function requireDiskSpace(folder, bytes, purpose) {
	let existing = folder;
	while (!existsSync(existing)) existing = dirname(existing);
	const { bavail, bsize } = statfsSync(existing);
	const free = bavail * bsize;
	if (free >= bytes) return;
	const gigabytes = (size) => `${(size / 1e9).toFixed(1)} GB`;
	throw new InstallationError(
		`Not enough disk space: ${purpose} needs about ${gigabytes(bytes)} in ${folder}, where ${gigabytes(free)} are free.\n` +
			'Free some space and run the same command again.',
	);
}

/** The environment for an npm that must not take itself for the npm that started this process. */
export function environmentForNpm(additions = {}) {
	const own = /^npm_(lifecycle_|package_|command$|execpath$|node_execpath$|config_local_prefix$)/;
	const inherited = Object.entries(process.env).filter(([name]) => !own.test(name));
	return { ...Object.fromEntries(inherited), ...additions };
}

/** Shows that something is going on: a line that changes in a terminal, a line every 30 seconds elsewhere. */
function showProgress(title, usually) {
	const start = Date.now();
	const elapsed = () => `${Math.round((Date.now() - start) / 1000)} s`;
	const terminal = process.stdout.isTTY === true;
	if (!terminal) console.log(`${title} (usually ${usually})`);
	const draw = () => {
		if (terminal) process.stdout.write(`\r\x1b[K${title} (usually ${usually}): ${elapsed()}`);
		else console.log(`  still at it after ${elapsed()}`);
	};
	const timer = setInterval(draw, terminal ? 1000 : 30_000);
	if (terminal) draw();
	return (outcome) => {
		clearInterval(timer);
		console.log(`${terminal ? '\r\x1b[K' : ''}${title}: ${outcome} after ${elapsed()}`);
	};
}

function explain(title, output) {
	if (diskFull.test(output)) {
		return 'The disk is full. Free some space and run the same command again.';
	}
	if (noNetwork.test(output) || connectionTrouble.test(output)) {
		return 'No network: npm cannot reach its registry. Connect this computer (or set a proxy with "npm config set proxy …") and run the same command again.';
	}
	const tail = output.trimEnd().split('\n').slice(-25).join('\n');
	return `${title}: npm gave up. The end of what it said:\n\n${tail}\n`;
}

/** Runs npm in a process group of its own, so that stopping it stops its compilers and scripts too. */
function spawnNpm(args, { cwd, env, signal }) {
	signal?.throwIfAborted();
	return new Promise((resolve, reject) => {
		const child = spawn('npm', args, {
			cwd,
			env: environmentForNpm(env),
			stdio: ['ignore', 'pipe', 'pipe'],
			detached: true,
		});
		let output = '';
		const collect = (chunk) => {
			output = (output + chunk).slice(-200_000);
		};
		child.stdout.setEncoding('utf8').on('data', collect);
		child.stderr.setEncoding('utf8').on('data', collect);
		const kill = (name) => {
			try {
				process.kill(-child.pid, name);
			} catch {
				// it has just ended by itself
			}
		};
		let killTimer;
		const stop = () => {
			kill('SIGTERM');
			// npm first rolls back what it did, which takes as long as an installation. Nobody needs that here: what is
			// incomplete is recognised and done anew.
			killTimer = setTimeout(kill, 2000, 'SIGKILL');
		};
		signal?.addEventListener('abort', stop, { once: true });
		child.on('error', (error) => {
			reject(
				new InstallationError(`npm could not be started (${error.message}). Is it installed?`),
			);
		});
		child.on('close', (code) => {
			clearTimeout(killTimer);
			signal?.removeEventListener('abort', stop);
			if (signal?.aborted) reject(signal.reason);
			else resolve({ code, output });
		});
	});
}

/**
 * Runs npm with progress and with failures in plain English.
 *
 * @param args for npm
 * @param options.usually how long it takes, for the progress line
 * @param options.network whether it downloads: then a missing network is noticed at once, not after npm's minutes of retries
 * @throws InstallationError, or the signal's reason when stopped
 */
export async function runNpm(args, { cwd, env = {}, signal, title, usually, network = true }) {
	const options = { cwd, env, signal };
	let everything = args;
	if (network) {
		const ping = await spawnNpm(['ping', '--fetch-retries=0'], options);
		// npm's cache may hold all that is needed, so being offline is not yet a reason to give up.
		if (ping.code !== 0 && noNetwork.test(ping.output)) everything = [...args, '--offline'];
	}
	const finished = showProgress(title, usually);
	let result;
	try {
		result = await spawnNpm(everything, options);
	} catch (error) {
		finished('stopped');
		throw error;
	}
	finished(result.code === 0 ? 'done' : 'failed');
	if (result.code !== 0) throw new InstallationError(explain(title, result.output));
	return result.output;
}
