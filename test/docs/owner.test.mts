/** What only the owner can decide stands in owner.json, and nowhere else differently. */
import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it, test } from 'vitest';

import { contradictions, type Owner, problemsOf, readOwner } from '../../scripts/release/owner.mts';
import { listFiles, read, root } from '../repository.mts';
import { temporaryFolder } from '../untilTheTestEnds.mts';

const owner = readOwner(root);

test('every place that repeats a decision says the same; "npm run owner" writes them again', () => {
	expect(problemsOf(owner)).toEqual([]);
	expect([...contradictions(root, owner).keys()]).toEqual([]);
});

test('README.md says which service it is, with links to its home page and its documentation', () => {
	expect(read('README.md')).toMatch(/\]\[service\]/);
	expect(read('README.md')).toMatch(/\]\[service documentation\]/);
});

test('no document or node names another repository of this package', () => {
	const shown = /^[^/]+\.md$|^(\.github|docs|nodes|credentials|workflows)\/.+\.(md|ts|json|yml)$/;
	const files = listFiles().filter((file) => shown.test(file));
	expect(files.length).toBeGreaterThan(60);
	const address = /https:\/\/github\.com\/[\w.-]+\/n8n-nodes-backlink-exchange/g;
	const named = files.flatMap((file) => read(file).match(address) ?? []);
	expect(named.filter((each) => each !== owner.repository)).toEqual([]);
});

it('in a copy of this project another owner stands everywhere, the one before nowhere, and what is undecided is named', () => {
	const copy = temporaryFolder();
	const files = listFiles()
		// The rehearsal of a release has an owner of its own.
		.filter((file) => file !== 'test/e2e/rehearsal.mts')
		.filter((file) => /\.(md|json|m?ts|mjs|cjs|js|yml|sh)$|^\.ci\//.test(file));
	for (const file of files) cpSync(path.join(root, file), path.join(copy, file));
	const naming = (...old: string[]) =>
		files.filter((file) => old.some((text) => read(file, copy).includes(text)));
	const write = (to: Owner) => {
		writeFileSync(path.join(copy, 'owner.json'), JSON.stringify(to));
		const command = path.join(copy, 'scripts/release/applyOwner.mts');
		return execFileSync(process.execPath, [command], { encoding: 'utf8' });
	};
	const before = Object.fromEntries(files.map((file) => [file, read(file, copy)]));

	const another: Owner = {
		// Not as one text: this file is in the copy as well, and is renamed with it.
		repository: ['https://github.com', 'somebody-else', 'nodes.for-n8n'].join('/'),
		author: { name: "Ada O'Neil $& <Ltd>", email: 'ada@else.test' },
		service: {
			homePage: 'https://else.test',
			documentation: 'https://else.test/api',
			baseUrl: 'https://else.test/api',
		},
		undecided: ['author', 'service'],
	};
	write(another);
	expect([...contradictions(copy, another).keys()]).toEqual([]);
	const { repository, service } = owner;
	const pictures = `${repository.replace('https://github', '//raw.githubusercontent')}/`;
	expect(naming(repository, pictures, ...Object.values(service))).toEqual([]);
	expect(JSON.parse(read('package.json', copy))).toMatchObject({
		homepage: another.repository,
		bugs: { url: `${another.repository}/issues`, email: another.author.email },
		author: another.author,
		repository: { url: `git+${another.repository}.git` },
	});
	expect(read('LICENSE.md', copy)).toMatch(/^Copyright \(c\) \d{4} Ada O'Neil \$& <Ltd>$/m);

	// An author may be called like a word of this project; this one is not.
	const third = { ...owner, author: { name: 'Zweig & Zwerg', email: 'z@zweig.test' } };
	const said = write({ ...third, undecided: ['author', 'service'] });
	expect(said).toBe(
		'Still undecided in owner.json: author\nStill undecided in owner.json: service\n',
	);
	write(another);
	expect(naming(third.author.name, third.author.email)).toEqual(['test/docs/owner.test.mts']);

	// And back again, with nothing lost and nothing left.
	write(owner);
	for (const file of files.filter((name) => name !== 'owner.json')) {
		expect(read(file, copy), file).toBe(before[file]);
	}
});

it('a README without a place for the service is an error, not a service that nobody names', () => {
	const copy = temporaryFolder();
	cpSync(path.join(root, 'package.json'), path.join(copy, 'package.json'));
	const readme = read('README.md').replace(/^\[service\]: .*$/m, '');
	writeFileSync(path.join(copy, 'README.md'), readme);
	expect(() => contradictions(copy, owner)).toThrow(/no place for .*\[service\\\]/);
});

const decided: Owner = {
	repository: 'https://github.com/somebody/nodes',
	author: { name: 'Somebody', email: 'somebody@a.org' },
	service: {
		homePage: 'https://a.org',
		documentation: 'https://a.org',
		baseUrl: 'https://a.org/api',
	},
	undecided: [],
};

test('owner.json may be decided', () => {
	expect(problemsOf(decided)).toEqual([]);
});

test.each([
	['no service', { service: undefined }, [/service\.homePage/, /documentation/, /baseUrl/]],
	['a number', { author: { name: 1, email: 'a@b.c' } }, [/no text as "author\.name"/]],
	['no name', { author: { name: ' ', email: 'a@b.c' } }, [/no name/]],
	['no decision', { undecided: ['author', 'logo'] }, [/"logo", which is no decision/]],
	['an address with .git', { repository: 'https://github.com/a/b.git' }, [/is not like/]],
	['another host', { repository: 'https://gitlab.com/a/b' }, [/is not like/]],
	['no email address', { author: { name: 'A', email: 'a' } }, [/no email address/]],
	['http', { service: { ...decided.service, homePage: 'http://a.org' } }, [/no https address/]],
	['a quote', { service: { ...decided.service, baseUrl: "https://a.org/'/api" } }, [/no https/]],
	['no /api', { service: { ...decided.service, baseUrl: 'https://a.org' } }, [/with \/api/]],
])('owner.json with %s', (_, change, expected) => {
	const found = problemsOf({ ...decided, ...change } as unknown as Owner);
	expect(found).toEqual(expected.map((each) => expect.stringMatching(each) as string));
});

test.each([
	['author', { author: { name: 'Somebody', email: 'somebody@nodes.example' } }],
	['service', { service: { ...decided.service, homePage: 'https://service.test' } }],
])('what is evidently a placeholder is said to be one: %s', (name, change) => {
	expect(problemsOf({ ...decided, ...change })).toHaveLength(1);
	expect(problemsOf({ ...decided, ...change, undecided: [name] })).toEqual([]);
});
