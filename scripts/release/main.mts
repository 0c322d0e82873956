/**
 * `npm run release` says what is still to do before a release; `npm run release -- 1.2.3` makes its commit and its tag.
 * `npm run release -- --pack` is for the workflow that the tag starts (.github/workflows/publish.yml): it packs that commit.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { buildIfChanged } from '../build.mts';
import {
	ownerProblems,
	preparationProblems,
	publicationProblems,
	releaseNotes,
} from './checks.mts';
import { readOwner } from './owner.mts';
import { datedChangelog, nextReadme, publishedReadme, withFile } from './texts.mts';

const root = join(import.meta.dirname, '../..');
const owner = readOwner(root);
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version;
/** @throws Error when it fails; what it says has been shown */
const run = (command: string, ...args: string[]) =>
	execFileSync(command, args, {
		cwd: root,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'inherit'],
	});
const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const edit = (file: string, change: (text: string) => string) => {
	writeFileSync(join(root, file), change(read(file)));
};

/** Packs what is built into the folder release/, and returns the name of the file. */
function pack(): string {
	rmSync(join(root, 'release'), { recursive: true, force: true });
	mkdirSync(join(root, 'release'));
	buildIfChanged();
	return run('npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', 'release').trim();
}

/** Makes the commit that is published, its tag, and the commit with which the work goes on. */
function prepare(version: string): void {
	const day = new Date().toISOString().slice(0, 10);
	run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
	edit('CHANGELOG.md', (text) => datedChangelog(text, version, day));
	edit('README.md', (text) => publishedReadme(text, version));
	edit('docs/installing.md', (text) => withFile(text, version));
	// The end-to-end tests install this file, and update it to what comes after it.
	const file = pack();
	copyFileSync(join(root, 'release', file), join(root, 'test/package/releases', file));
	run('git', 'add', '--all');
	run('git', 'commit', '--quiet', '--message', `Release ${version}`);
	run('git', 'tag', version);
	edit('README.md', (text) => nextReadme(text, version));
	run('git', 'commit', '--quiet', '--all', '--message', 'README points at the main branch again');
}

/** @returns what is in the way */
function release(version: string | undefined, isPacking: boolean): string[] {
	const changelog = read('CHANGELOG.md');
	if (isPacking) {
		const { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: running } = process.env;
		const current = versionIn('package.json');
		const locked = versionIn('package-lock.json');
		const { repository } = owner;
		const commit = { version: current, locked, changelog, tag, repository, running };
		const problems = [...ownerProblems(root, owner), ...publicationProblems(commit)];
		if (problems.length > 0) return problems;
		console.log(join('release', pack()));
		writeFileSync(join(root, 'release/notes.md'), `${releaseNotes(changelog, current) ?? ''}\n`);
		return [];
	}
	const changes = lines(run('git', 'status', '--porcelain'));
	const tags = lines(run('git', 'tag'));
	const branch = run('git', 'branch', '--show-current').trim();
	const problems = [
		...ownerProblems(root, owner),
		...preparationProblems({ changelog, changes, tags, branch }, version),
	];
	if (problems.length > 0) return problems;
	if (version === undefined) console.log('Ready. Next: npm run release -- <version>');
	else {
		prepare(version);
		console.log(`Read it (git show ${version}), then: git push --atomic origin main ${version}`);
	}
	return [];
}

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { pack: { type: 'boolean', default: false } },
});
const problems = release(positionals[0], values.pack);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
