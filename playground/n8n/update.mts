/**
 * npm run update:n8n [-- <version>]: writes another version of n8n, the latest one unless one is named, wherever it stands
 * (places.mts), with new lock files. If the registry lacks packages of that version, it takes the nearest older one that can
 * be installed, and says so. Nothing is written unless all of it could be resolved.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { InstallationError } from '../../scripts/installation.mjs';
import { runNpm } from '../../scripts/npm.mjs';
import { candidates, edits, folderOf, majorOf, majorsIn, versionsIn } from './places.mts';

const root = join(import.meta.dirname, '../..');
const temporary = mkdtempSync(join(tmpdir(), 'backlink-exchange-update-'));

interface Manifest {
	dependencies: Record<string, string>;
	overrides?: Record<string, string>;
}

interface Released {
	versions: string[];
	'dist-tags': { latest: string };
}

async function releasedVersions(): Promise<Released> {
	const output = await runNpm(['view', 'n8n', 'versions', 'dist-tags', '--json'], {
		cwd: root,
		title: 'Asking the registry for the versions of n8n',
		usually: 'a second or two',
	});
	return JSON.parse(/^\{[^]*^\}/m.exec(output)?.[0] ?? '') as Released;
}

/** Copies these files of the project, writes `changes` over them, and has npm bring the lock file there up to date. */
async function resolve(
	title: string,
	files: string[],
	changes: Record<string, string>,
): Promise<string> {
	const folder = mkdtempSync(join(temporary, 'resolved-'));
	for (const file of files) cpSync(join(root, file), join(folder, file), { recursive: true });
	for (const [file, text] of Object.entries(changes)) writeFileSync(join(folder, file), text);
	const cwd = join(folder, dirname(files[0] ?? ''));
	await runNpm(['install', '--package-lock-only'], { cwd, title, usually: 'up to a minute' });
	return readFileSync(join(cwd, 'package-lock.json'), 'utf8');
}

const npmFiles = (folder: string) =>
	['package.json', 'package-lock.json', '.npmrc'].map((name) => join(folder, name));

/** The lock file of that n8n, and the overrides that it needs here: none, or those that the last one needed. */
async function resolveN8n(version: string): Promise<{ manifest: string; lockFile: string }> {
	const folder = folderOf(majorOf(version));
	const file = join(folder, 'package.json');
	const { overrides, ...manifest } = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest;
	manifest.dependencies.n8n = version;
	const tries = overrides === undefined ? [manifest] : [manifest, { ...manifest, overrides }];
	let failure: unknown;
	for (const each of tries) {
		const text = `${JSON.stringify(each, undefined, '\t')}\n`;
		const title = `Resolving n8n ${version}${'overrides' in each ? ' with overrides' : ''}`;
		try {
			return { manifest: text, lockFile: await resolve(title, npmFiles(folder), { [file]: text }) };
		} catch (error) {
			if (!(error instanceof InstallationError)) throw error;
			failure = error;
		}
	}
	throw failure;
}

async function update(argument: string | undefined): Promise<void> {
	const released = await releasedVersions();
	const wanted = argument ?? released['dist-tags'].latest;
	const major = majorOf(wanted);
	if (!released.versions.includes(wanted)) {
		throw new InstallationError(`The registry has no n8n ${wanted}.`);
	}
	if (!majorsIn(root).includes(major)) {
		throw new InstallationError(
			`n8n ${wanted} is of a major version that has no folder in ${folderOf('')} yet. Copy the newest one to ${folderOf(major)}, and run this command again.`,
		);
	}
	const lock = join(folderOf(major), 'package-lock.json');
	const current = versionsIn(readFileSync(join(root, lock), 'utf8'));
	for (const version of candidates(released.versions, current.n8n, wanted)) {
		try {
			const { manifest, lockFile } = await resolveN8n(version);
			const next = versionsIn(lockFile);
			const texts = { ...edits(root, current, next), [lock]: lockFile };
			texts[join(folderOf(major), 'package.json')] = manifest;
			if (texts['package.json'] !== undefined) {
				texts['package-lock.json'] = await resolve(
					'Resolving the dependencies of this project with it',
					[...npmFiles('.'), 'scripts/node24'],
					{ 'package.json': texts['package.json'] },
				);
			}
			for (const [file, text] of Object.entries(texts)) writeFileSync(join(root, file), text);
			console.log(`n8n ${current.n8n} is now n8n ${next.n8n} in ${Object.keys(texts).join(', ')}.`);
			console.log('Now: npm test, npm start -- --check, npm run test:e2e.');
			return;
		} catch (error) {
			if (!(error instanceof InstallationError)) throw error;
			console.log(`n8n ${version} cannot be installed from this registry: ${error.message}`);
		}
	}
	console.log(`It stays at n8n ${current.n8n}.`);
	if (current.n8n !== wanted) {
		console.log(`n8n ${current.n8n} is the nearest to ${wanted} that this registry has whole.`);
	}
}

try {
	await update(process.argv[2]);
} catch (error) {
	console.error(error instanceof InstallationError ? error.message : error);
	process.exitCode = 1;
} finally {
	rmSync(temporary, { recursive: true, force: true });
}
