/** What `npm run release` looks at before anything is published. */
import { describe, expect, it } from 'vitest';

import {
	checkChangelog,
	checkOwner,
	checkRepository,
	checkTag,
	checkVersion,
	checkWorkingTree,
	releaseNotes,
} from '../../scripts/release/checks.mts';
import { lookAtRelease, readManifest } from '../../scripts/release/state.mts';

describe('the version', () => {
	it.each(['0.1.0', '1.0.0', '10.20.30', '1.0.0-alpha.1'])('%s is one', (version) => {
		expect(checkVersion(version, version).state).toBe('ok');
	});

	it.each(['v1.0.0', '1.0', '1.0.0 ', '01.0.0', '', '1.0.0-', 'latest'])(
		'%j is none',
		(version) => {
			expect(checkVersion(version, version).state).toBe('wrong');
		},
	);

	it('is the same in the lock file', () => {
		expect(checkVersion('1.0.0', '0.9.0').state).toBe('wrong');
	});
});

describe('the changelog', () => {
	const changelog = (...sections: string[]) =>
		`# Changelog\n\nIntroduction.\n\n${sections.join('\n\n')}\n`;
	const first = '## 0.1.0 - 2026-11-21\n\n### Added\n\n- Everything.';

	it('has a heading for the version', () => {
		expect(checkChangelog(changelog(first), '0.1.0').state).toBe('ok');
		expect(releaseNotes(changelog('## 0.2.0 - 2026-12-01\n\n- More.', first), '0.1.0')).toBe(
			'### Added\n\n- Everything.',
		);
	});

	it('still calls it unreleased', () => {
		expect(checkChangelog(changelog('## Unreleased\n\n- New.', first), '0.2.0').state).toBe(
			'to do',
		);
	});

	it.each([
		['another version only', changelog(first), '0.2.0'],
		['nothing below the heading', changelog('## 0.2.0 - 2026-12-01', first), '0.2.0'],
		['nothing below either', changelog('## Unreleased', first), '0.2.0'],
		['entries that belong to no version', changelog('## Unreleased\n\n- New.', first), '0.1.0'],
		['a heading without its day', changelog('## 0.2.0\n\n- New.'), '0.2.0'],
		['a version that only begins like it', changelog('## 0.1.01 - 2026-11-21\n\n- New.'), '0.1.0'],
		[
			'a version with any letter for its point',
			changelog('## 0x1.0 - 2026-11-21\n\n- New.'),
			'0.1.0',
		],
		['nothing', '', '0.1.0'],
	])('%s is wrong', (_, text, version) => {
		expect(checkChangelog(text, version).state).toBe('wrong');
	});

	it('may have an empty heading for what comes next', () => {
		expect(checkChangelog(changelog('## Unreleased', first), '0.1.0').state).toBe('ok');
	});
});

describe('the tag', () => {
	it.each([
		['ok', ['0.1.0'], ['0.1.0']],
		['ok', ['0.1.0', 'some-name'], ['0.0.9', '0.1.0']],
		['to do', [], ['0.0.9']],
		['wrong', ['0.2.0'], ['0.2.0']],
		['wrong', ['0.1.0', '0.2.0'], ['0.1.0', '0.2.0']],
		['wrong', [], ['0.1.0']],
	])('is %s with %j here and %j in all', (state, here, all) => {
		expect(checkTag('0.1.0', here, all).state).toBe(state);
	});
});

it('only what is committed is published', () => {
	expect(checkWorkingTree([]).state).toBe('ok');
	expect(checkWorkingTree([' M README.md', '?? new']).state).toBe('to do');
	expect(checkWorkingTree(undefined).state).toBe('to do');
});

it('a placeholder of the owner stops a release, and a contradiction fails it', () => {
	expect(checkOwner([], []).state).toBe('ok');
	expect(checkOwner(['repository: package.json'], []).state).toBe('to do');
	expect(checkOwner([], ['package.json has another']).state).toBe('wrong');
});

it('the workflow of another repository publishes nothing', () => {
	const repository = 'https://github.com/Owner/name';
	expect(checkRepository(repository, 'owner/name').state).toBe('ok');
	expect(checkRepository(repository, 'fork/name').state).toBe('wrong');
	expect(checkRepository(repository, 'owner/name-of-another').state).toBe('wrong');
	expect(checkRepository(repository, undefined).state).toBe('to do');
});

it('nothing in this repository contradicts its next release', () => {
	const findings = lookAtRelease(readManifest('package.json'));
	expect(findings.filter(({ state }) => state === 'wrong')).toEqual([]);
	expect(findings).toHaveLength(6);
});
