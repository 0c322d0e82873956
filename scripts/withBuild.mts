// Builds the package, then runs a script with Node 24: for what works on dist/ outside of `npm test`.
import { spawnSync } from 'node:child_process';

const [script, ...args] = process.argv.slice(2);
if (script === undefined) throw new Error('Usage: withBuild.mts <script> [arguments]');

const build = spawnSync('n8n-node', ['build'], { encoding: 'utf8' });
if (build.status !== 0) {
	console.error(`${build.stdout}${build.stderr}\nThe package does not build.`);
	process.exitCode = 1;
} else {
	process.exitCode =
		spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' }).status ?? 1;
}
