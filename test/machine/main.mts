/**
 * npm run test:long -- machine <version of npm> [--quick]: the README's two commands on a fresh Linux machine, which is a clone
 * of what is committed here, with an empty home, that npm from the registry, and a Node.js that it runs on: `npm test`,
 * then `npm start -- --check`. With --quick, only the installation and the tests of the package and of the scripts.
 * The last line is `N passed, N failed`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { counted } from '../counted.mts';

/** The oldest Node.js that this project takes, the one that it brings, and the newest one; each npm runs on its own. */
const nodeFor: Record<string, string> = { 10: '20', 11: '24', 12: '26' };
const quickTests = ['--', 'test/package', 'test/scripts'];

const root = path.resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { quick: { type: 'boolean', default: false } },
});
const [npm = '', ...others] = positionals;
const node = nodeFor[npm];
if (node === undefined || others.length > 0) {
	console.error(
		`Usage: npm run test:long -- machine <${Object.keys(nodeFor).join('|')}> [--quick]`,
	);
	process.exit(1);
}

const folder = mkdtempSync(path.join(tmpdir(), 'fresh-machine-'));
// With a blank, as people name their folders.
const clone = path.join(folder, 'my clone');
const tools = path.join(folder, 'tools');
const nodePackage = `node-${process.platform}-${process.arch}`;
const home = path.join(folder, 'home');

/** What this process has from npm, from its own Node.js and from its user stays out. */
const inherited = Object.entries(process.env).filter(
	([name]) => !/^(npm_|xdg_|path$|home$|init_cwd$|node$|node_env$|node_options$)/i.test(name),
);
const environment: NodeJS.ProcessEnv = {
	...Object.fromEntries(inherited),
	HOME: home,
	PATH: [
		...['.bin', `${nodePackage}/bin`].map((name) => path.join(tools, 'node_modules', name)),
		'/usr/local/bin',
		'/usr/bin',
		'/bin',
	].join(':'),
};
let passed = 0;
let failed = 0;
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(name, () => {
		stopping.abort(new Error('Stopped.'));
	});
}

/** Runs npm in the clone, and adds what it counts. */
async function count(...args: string[]): Promise<void> {
	const options = { cwd: clone, env: environment, signal: stopping.signal };
	const counts = await counted('npm', args, options);
	passed += counts.passed;
	failed += counts.failed;
}

try {
	mkdirSync(home);
	execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' });
	const packages = [`npm@${npm}`, `${nodePackage}@${node}`];
	execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', tools, ...packages], {
		stdio: 'inherit',
	});
	const version = (program: string) =>
		execFileSync(program, ['--version'], { env: environment, encoding: 'utf8' }).trim();
	console.log(`npm ${version('npm')} on Node.js ${version('node')}, in ${clone}`);
	await count('test', ...(values.quick ? quickTests : []));
	if (!values.quick) await count('start', '--', '--check');
} catch (error) {
	failed += 1;
	console.error(error);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
