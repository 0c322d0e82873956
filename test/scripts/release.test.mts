/** What `npm run release` checks and writes; that all of it works is rehearsed in test/e2e/communityNodes.test.mts. */

import { describe, expect, it } from 'vitest';

import {
	ownerProblems,
	preparationProblems,
	publicationProblems,
	releaseNotes,
} from '../../scripts/release/checks.mts';
import { readOwner } from '../../scripts/release/owner.mts';
import {
	datedChangelog,
	nextReadme,
	publishedReadme,
	withFile,
} from '../../scripts/release/texts.mts';
import { read, root } from '../repository.mts';

const owner = readOwner(root);
const changelogOf = (...sections: string[]) =>
	`# Changelog\n\nIntroduction.\n\n${sections.join('\n\n')}\n`;
const first = '## 0.1.0 - 2026-11-21\n\n### Added\n\n- Everything.';
const next = '## Unreleased\n\n- New.';

describe('the changelog', () => {
	it.each([
		['the version', [next, first], '0.1.0', '### Added\n\n- Everything.'],
		['what is not released', [next, first], 'Unreleased', '- New.'],
		['another version', [first], '0.2.0', undefined],
		['nothing below the heading', ['## 0.2.0 - 2026-12-01', first], '0.2.0', ''],
		['a heading without its day', ['## 0.2.0\n\n- New.'], '0.2.0', '- New.'],
		['a version that only begins like it', ['## 0.1.01 - 2026-11-21\n\n- x'], '0.1.0', undefined],
		['any letter in place of its point', ['## 0x1.0 - 2026-11-21\n\n- x'], '0.1.0', undefined],
	])('says of %s', (_, sections, version, expected) => {
		expect(releaseNotes(changelogOf(...sections), version)).toBe(expected);
	});

	it('gets the version and the day', () => {
		const dated = datedChangelog(changelogOf(next, first), '0.2.0', '2026-12-01');
		expect(dated).toBe(changelogOf('## 0.2.0 - 2026-12-01\n\n- New.', first));
	});
});

describe('before the commit of a release is made', () => {
	const tags = ['0.1.0', '0.1.1-beta.2', 'some-name'];
	const state = { changelog: changelogOf(next, first), changes: [], tags, branch: 'main' };

	it.each([undefined, '0.1.1', '0.1.1-beta.10', '0.1.2-beta.1', '1.0.0-alpha.1', '10.20.30'])(
		'%s can be released',
		(version) => {
			expect(preparationProblems(state, version)).toEqual([]);
		},
	);

	it.each(['v1.0.0', '1.0', '1.0.0 ', '01.0.0', '', '1.0.0-', 'latest'])(
		'%j is no version',
		(version) => {
			expect(preparationProblems(state, version)).toEqual([
				expect.stringContaining('is not a semantic version'),
			]);
		},
	);

	it.each([
		['a version that is out', { tags: ['0.1.0'] }, '0.1.0', 'newer than what is released: 0.1.0.'],
		['an older one', {}, '0.0.9', '0.0.9 is not newer than what is released: 0.1.0, 0.1.1-beta.2.'],
		['an older candidate', {}, '0.1.1-beta.1', 'is released: 0.1.1-beta.2.'],
		['a candidate of what is out', { tags: ['0.1.1'] }, '0.1.1-beta.1', 'is released: 0.1.1.'],
		['another branch', { branch: 'publish' }, '0.2.0', 'This is the branch publish'],
		['nothing new', { changelog: changelogOf(first) }, '0.2.0', 'nothing below "## Unreleased"'],
		['an empty heading', { changelog: changelogOf('## Unreleased') }, '0.2.0', 'nothing below'],
		['changes', { changes: [' M README.md', '?? new'] }, '0.2.0', ' M README.md, ?? new'],
	])('%s is in the way', (_, change, version, problem) => {
		expect(preparationProblems({ ...state, ...change }, version)).toEqual([
			expect.stringContaining(problem),
		]);
	});
});

describe('before a tagged commit is packed', () => {
	const commit = {
		version: '0.1.0',
		locked: '0.1.0',
		changelog: changelogOf(first),
		tag: '0.1.0',
		repository: 'https://github.com/Owner/name',
		running: 'owner/name',
	};

	it('all agrees', () => {
		expect(publicationProblems(commit)).toEqual([]);
	});

	it.each([
		['no tag', { tag: undefined }, 'The tag is missing'],
		['another tag', { tag: '0.1.1' }, 'The tag is 0.1.1'],
		['another version in the lock file', { locked: '0.0.9' }, 'package-lock.json has 0.0.9'],
		['nothing in the changelog', { changelog: changelogOf(next) }, '"## 0.1.0 - <date>"'],
		['a fork', { running: 'fork/name' }, 'This is fork/name'],
		['a repository that begins like it', { running: 'owner/name-of-another' }, 'This is owner/'],
		['no workflow', { running: undefined }, 'not GitHub'],
	])('%s is in the way', (_, change, problem) => {
		expect(publicationProblems({ ...commit, ...change })).toEqual([
			expect.stringContaining(problem),
		]);
	});
});

it('what the owner has not decided, and what contradicts owner.json, is in the way', () => {
	const decided = { ...owner, undecided: [] };
	const named = { ...owner, undecided: ['repository', 'author', 'service'] };
	expect(ownerProblems(root, named)).toEqual([
		'Decide in owner.json: repository.',
		'Decide in owner.json: author.',
		'Decide in owner.json: service.',
	]);
	const renamed = { ...named, repository: 'https://github.com/a/b' };
	expect(ownerProblems(root, renamed)).toContain(
		'README.md says something else than owner.json: npm run owner',
	);
	// A placeholder, as long as there is one.
	const isDecided = owner.undecided.length === 0;
	expect(ownerProblems(root, decided).length === 0).toBe(isDecided);
});

it('what the next release tells is in the changelog, or it is out', () => {
	const { version } = JSON.parse(read('package.json')) as { version: string };
	const changelog = read('CHANGELOG.md');
	expect(releaseNotes(changelog, 'Unreleased') ?? releaseNotes(changelog, version)).toBeTruthy();
});

describe('README.md', () => {
	const readmeAt = (place: string, news = '') =>
		`A [link](https://github.com/o/n/blob/${place}/docs/a.md), a [folder](https://github.com/o/n/tree/${place}/docs),
![a picture](https://raw.githubusercontent.com/o/n/${place}/a.png), and https://example.com/HEAD/.

${news}The end.
`;
	const version = '1.2.3-beta.1';
	const published = readmeAt(version);

	it('as it is published points at its own version, and says nothing that holds only before', () => {
		const news = '<!-- until the first release -->\n\nNot on npm yet.\n\n<!-- until here -->\n\n';
		expect(publishedReadme(readmeAt('HEAD', news), version)).toBe(published);
		expect(publishedReadme(published, version)).toBe(published);
	});

	it('points at the main branch again afterwards', () => {
		expect(nextReadme(published, version)).toBe(readmeAt('HEAD'));
	});

	it('and docs/installing.md name the file of the version', () => {
		expect(withFile('`n8n-nodes-backlink-exchange-0.1.0.tgz`', '0.2.0-rc.1')).toBe(
			'`n8n-nodes-backlink-exchange-0.2.0-rc.1.tgz`',
		);
	});
});
