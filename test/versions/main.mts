/**
 * npm run test:versions [-- n8n version …]: the engine tests on the engines of the versions in versions.json.
 * The last line is `N passed, N failed`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { installEngine, lacking, readVersions, type Version } from './engine.mts';

const wanted = process.argv.slice(2);
const known = readVersions();
const unknown = wanted.filter((name) => !known.some(({ n8n }) => n8n === name));
if (unknown.length > 0) {
	throw new Error(
		`${unknown.join(', ')} is not in versions.json: ${known.map(({ n8n }) => n8n).join(', ')}`,
	);
}

let passed = 0;
let failed = 0;
for (const version of known.filter(({ n8n }) => wanted.length === 0 || wanted.includes(n8n))) {
	const counts = await testWith(version);
	passed += counts.passed;
	failed += counts.failed;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function testWith(version: Version): Promise<{ passed: number; failed: number }> {
	const skipped = version.lacks.flatMap((name) => lacking[name]);
	const folder = await installEngine(version);
	const results = mkdtempSync(path.join(tmpdir(), 'backlink-exchange-versions-'));
	const report = path.join(results, 'report.json');
	const without = `^(?!.*(${skipped.join('|')})$)`;
	const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
	try {
		console.log(
			`n8n ${version.n8n} (n8n-core ${version.core}); not looked at: ${skipped.join('; ')}`,
		);
		const { status } = spawnSync(
			'vitest',
			['run', 'test/engine', '--testNamePattern', without, ...reporters],
			{ stdio: 'inherit', env: { ...process.env, N8N_CORE_FOLDER: folder } },
		);
		const counts = JSON.parse(readFileSync(report, 'utf8')) as {
			numPassedTests: number;
			numFailedTests: number;
		};
		const failures = counts.numFailedTests + (status !== 0 && counts.numFailedTests === 0 ? 1 : 0);
		// A pattern that matches nothing would look like success.
		return {
			passed: counts.numPassedTests,
			failed: counts.numPassedTests > 500 ? failures : failures + 1,
		};
	} finally {
		rmSync(results, { recursive: true, force: true });
	}
}
