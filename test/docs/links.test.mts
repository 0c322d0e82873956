/** Checks that the link targets of the documents, and of the help in n8n, exist. */
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { read, root } from '../repository.mts';

const documents = globSync(['*.md', '{.github,docs,workflows}/**/*.md'], { cwd: root }).sort();

const manifest = JSON.parse(read('package.json')) as {
	version: string;
	repository: { url: string };
};
/** owner/name on GitHub */
const repository = /^git\+https:\/\/github\.com\/(.+)\.git$/.exec(manifest.repository.url)?.[1];
const onGithub = `https://github.com/${repository ?? ''}`;

/** Returns the link and picture targets of a text, without external URLs. */
function targetsIn(text: string): string[] {
	const found = [
		...text.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g),
		...text.matchAll(/(?<!!)\[(?:[^\]]|!\[[^\]]*\]\([^)]*\))*\]\(([^)\s]+)\)/g),
	];
	return found
		.map(([, target = '']) => target)
		.filter((target) => !/^(https?|mailto):/.test(target));
}

/** Returns the anchors that GitHub and npm create for the headings of a document. */
function anchorsIn(document: string): string[] {
	return [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

/**
 * Checks a link target.
 *
 * @returns what is wrong with it, or `undefined` if it exists
 */
function problem(document: string, target: string): string | undefined {
	const [file = '', anchor] = target.split('#');
	const full = path.resolve(root, path.dirname(document), file);
	if (full !== root && !full.startsWith(root + path.sep)) return `${target} is outside`;
	if (!existsSync(full)) return `${target} does not exist`;
	const named = file === '' ? document : path.relative(root, full);
	if (anchor === undefined || !named.endsWith('.md')) return undefined;
	return anchorsIn(named).includes(anchor) ? undefined : `${target}: no such heading`;
}

test.each(documents)('%s points at files and headings that exist', (document) => {
	const problems = targetsIn(read(document)).map((target) => problem(document, target));
	expect(problems.filter((each) => each !== undefined)).toEqual([]);
});

test.each(documents)('%s mentions only files and folders that exist', (document) => {
	const named = read(document).matchAll(
		/`((?:nodes|credentials|sandbox|scripts|test|docs|workflows)\/[\w./-]+)`/g,
	);
	const missing = [...named]
		.map(([, file = '']) => file)
		.filter((file) => !existsSync(`${root}/${file}`));
	// The first `npm start` creates it.
	expect(missing.filter((file) => file !== 'sandbox/data')).toEqual([]);
});

test('the decisions in comments exist', () => {
	const sources = globSync('{nodes,credentials,sandbox,test}/**/*.{ts,mts}', { cwd: root });
	const named = sources.flatMap((file) => [
		...read(file).matchAll(/docs\/decisions\/\d[\w-]+\.md/g),
	]);
	expect(named.map(([file]) => file).filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
	expect(named.length).toBeGreaterThan(0);
});

test('README.md on npm has absolute links to the repository in package.json', () => {
	expect(repository).toBeDefined();
	// npm leaves a link below the root alone: in a README, each link is relative to it.
	expect(targetsIn(read('README.md')).filter((target) => /^(\/|\.\.)/.test(target))).toEqual([]);
});

test('documentation links in n8n lead to a heading of README.md', () => {
	const sources = globSync(['nodes/*/*.node.json', 'credentials/*.ts'], { cwd: root });
	const addresses = sources.flatMap((file) => [
		...read(file).matchAll(/https:\/\/github\.com\/[^"'\s]+/g),
	]);
	expect(addresses.length).toBeGreaterThan(sources.length);
	const anchors = ['readme', ...anchorsIn('README.md')].map((anchor) => `${onGithub}#${anchor}`);
	for (const [address] of addresses) expect(anchors).toContain(address);
});

test('docs/installing.md names the file of this version', () => {
	const files = read('docs/installing.md').matchAll(
		/n8n-nodes-backlink-exchange-(\d[\w.-]*)\.tgz/g,
	);
	expect([...files].map(([, named]) => named)).toEqual([manifest.version]);
});
