// Usage: node scripts/node24.mjs <command> [arguments …] [+ <command> [arguments …]] …
//
// Runs one command after the other until one fails, in Node.js 24 and with the commands of the dependencies on the PATH, after
// installing what is missing. All in one process, which package.json starts with `exec`, so that no shell stands between it and
// npm: then it gets npm's signals, and sees that npm has died.
// Plain JavaScript without dependencies: it runs first on a fresh machine, whose Node.js may be as old as 20.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
// An npm that is killed takes nothing with it: what it has started has to see for itself, or n8n would go on running.
const npm = process.ppid;

/**
 * The folder of the program of Node.js 24, which is a package of its own for each kind of machine. It is not taken from
 * node_modules/.bin, where npm 10 leaves it out.
 */
function findNode24() {
	/** @type {unknown} */
	const manifest = JSON.parse(readFileSync(join(root, 'scripts/node24/package.json'), 'utf8'));
	const { optionalDependencies } = /** @type {{ optionalDependencies: object }} */ (manifest);
	const names = Object.keys(optionalDependencies);
	const name = names.find((each) => each.endsWith(`-${process.platform}-${process.arch}`));
	if (name !== undefined) return join(modules, name, 'bin');
	return fail(`Needs one of ${names.join(', ')}. On Windows, use WSL; elsewhere, a container.`);
}

/** @param {string} folder */
function isInstalled(folder) {
	// npm ci writes this file last, so an interrupted installation does not have it.
	const written = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false });
	const wanted = statSync(join(root, 'package-lock.json'));
	return existsSync(join(folder, 'node')) && (written?.mtimeMs ?? 0) >= wanted.mtimeMs;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
	console.error(message);
	process.exit(1);
}

const node24 = findNode24();
if (!isInstalled(node24)) {
	console.log('Installing the dependencies: 1 to 3 minutes, only now and after updates.');
	const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: root, stdio: 'inherit' });
	if (status !== 0) fail('The dependencies are not installed. npm has said why.');
	// npm is silent about an optional package that it could not download.
	if (!isInstalled(node24)) {
		fail(`npm left out Node.js 24 (${node24}). Run the same command again.`);
	}
}

const env = {
	...process.env,
	PATH: [node24, join(modules, '.bin'), process.env.PATH].join(delimiter),
	// Without spinners and colors in output that is kept.
	...(!process.stdout.isTTY && { CI: 'true', NO_COLOR: '1' }),
};
/** @type {import('node:child_process').ChildProcess | undefined} */
let child;
const words = process.argv.slice(2);
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
	process.on(signal, () => {
		words.length = 0; // nothing comes after what is stopped
		// Ctrl-C in a terminal reaches the whole process group by itself.
		if (signal !== 'SIGINT' || !process.stdin.isTTY) child?.kill(signal);
	});
}
if (process.env.npm_lifecycle_event !== undefined) {
	setInterval(() => process.ppid === npm || child?.kill(), 250).unref();
}

while (words.length > 0 && !process.exitCode) {
	const [command = '', ...args] = words.splice(0, [...words, '+'].indexOf('+'));
	words.shift();
	child = spawn(command, args, { stdio: 'inherit', env });
	child.on('error', ({ message }) => fail(message));
	const ended = /** @type {[number | null, NodeJS.Signals]} */ (await once(child, 'close'));
	process.exitCode = ended[0] ?? 128 + constants.signals[ended[1]];
}
process.exit();
