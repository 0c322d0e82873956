/**
 * npm run test:long -- versions [--engine | --real] [n8n version, or how it begins …]: the engine tests on the engines of the
 * versions in versions.json and of the one that is developed against, then the playground's check and the end-to-end tests
 * that fit in a real n8n of each older version that can be installed. The newest one is what `npm start -- --check` and
 * `npm run test:e2e` run in.
 * The last line is `N passed, N failed`.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';

import { n8nVersions, newestN8n } from '../../playground/n8n/versions.mts';
import { counted, type Counts } from '../counted.mts';
import { installEngine, lacking, readVersions, type Version } from './engine.mts';
import { testsThatFit } from './fitting.mts';

const root = path.resolve(import.meta.dirname, '../..');
const { values: only, positionals: wanted } = parseArgs({
	allowPositionals: true,
	options: {
		engine: { type: 'boolean', default: false },
		real: { type: 'boolean', default: false },
	},
});
const known = readVersions();
const isMeant = (name: string) => (version: Version) => `${version.n8n}.`.startsWith(`${name}.`);
const unknown = wanted.filter((name) => !known.some(isMeant(name)));
if (unknown.length > 0) {
	throw new Error(`There is no ${unknown.join(', ')}: ${known.map(({ n8n }) => n8n).join(', ')}`);
}
const chosen = known.filter(
	(version) => wanted.length === 0 || wanted.some((name) => isMeant(name)(version)),
);

const results: Array<{ what: string } & Counts> = [];
for (const version of chosen) {
	if (!only.real) {
		results.push({ what: `engine of n8n ${version.n8n}`, ...(await testEngine(version)) });
	}
	if (!only.engine && version.n8n !== newestN8n && n8nVersions.includes(version.n8n)) {
		results.push({ what: `n8n ${version.n8n}`, ...(await testReal(version.n8n)) });
	}
}
for (const { what, passed, failed } of results) {
	console.log(`${what}: ${passed} passed, ${failed} failed.`);
}
const sum = (which: keyof Counts) => results.reduce((total, result) => total + result[which], 0);
// A run that tests nothing would look like success.
const failed = results.length === 0 ? 1 : sum('failed');
console.log(`${sum('passed')} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function testEngine(version: Version): Promise<Counts> {
	const skipped = version.lacks.flatMap((name) => lacking[name]);
	const folder = await installEngine(version);
	console.log(`\nn8n ${version.n8n} (n8n-core ${version.core})`);
	if (skipped.length > 0) console.log(`What it lacks is not checked: ${skipped.join('; ')}`);
	const without = skipped.length > 0 ? ['--testNamePattern', `^(?!.*(${skipped.join('|')})$)`] : [];
	const counts = await test(['test/engine', ...without], {
		N8N_CORE_FOLDER: folder,
		N8N_LACKS: version.lacks.join(','),
	});
	// A pattern that matches too much would look like success.
	return counts.passed > 500 ? counts : { ...counts, failed: counts.failed + 1 };
}

/** In a real n8n of that version. */
async function testReal(version: string): Promise<Counts> {
	console.log(`\nA real n8n ${version}`);
	const options = ['--check', '--n8n-version', version];
	const check = await counted('node', ['playground/start.mts', ...options], { cwd: root });
	const tests = await test(['--config', 'vitest.e2e.config.mts', ...testsThatFit(version)], {
		TEST_N8N_VERSION: version,
	});
	return { passed: check.passed + tests.passed, failed: check.failed + tests.failed };
}

async function test(args: string[], environment: Record<string, string>): Promise<Counts> {
	const env = { ...process.env, ...environment };
	return await counted('node', ['scripts/test.mts', ...args], { cwd: root, env });
}
