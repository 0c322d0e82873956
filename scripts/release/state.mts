/** The state of this repository, as far as a release depends on it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	checkChangelog,
	checkOwner,
	checkRepository,
	checkTag,
	checkVersion,
	checkWorkingTree,
	type Finding,
} from './checks.mts';
import { contradictions, placeholders, readOwner } from './owner.mts';

const root = join(import.meta.dirname, '../..');
const { GITHUB_ACTIONS, GITHUB_REF_NAME, GITHUB_REF_TYPE, GITHUB_REPOSITORY } = process.env;

export interface Manifest {
	name: string;
	version: string;
}

/** @param name `package.json` or `package-lock.json` */
export function readManifest(name: string): Manifest {
	return JSON.parse(readFileSync(join(root, name), 'utf8')) as Manifest;
}

/** Looks at everything that has to be right before this version is published. */
export function lookAtRelease({ version }: Manifest): Finding[] {
	const owner = readOwner();
	const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
	// A shallow checkout of a tag need not have it.
	const started = GITHUB_REF_TYPE === 'tag' && GITHUB_REF_NAME ? [GITHUB_REF_NAME] : [];
	const here = [...(git('tag', '--points-at', 'HEAD') ?? []), ...started];
	const isPublishing = GITHUB_ACTIONS === 'true' && GITHUB_REF_TYPE === 'tag';
	const running = isPublishing ? GITHUB_REPOSITORY : undefined;
	return [
		checkVersion(version, readManifest('package-lock.json').version),
		checkChangelog(changelog, version),
		checkTag(version, here, [...(git('tag') ?? []), ...started]),
		checkWorkingTree(git('status', '--porcelain')),
		checkOwner(placeholders(owner), contradictions(owner)),
		checkRepository(owner.repository, running),
	];
}

/** What git says, line by line; undefined where this is no clone. */
function git(...args: string[]): string[] | undefined {
	const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
	return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
}
