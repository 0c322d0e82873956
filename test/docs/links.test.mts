/** What the documents, and the help in n8n, point at is there. */
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
/** README.md of the commit that is published points at that version, and at the main branch before and afterwards. */
const version = read('README.md').includes(`${onGithub}/blob/HEAD/`) ? 'HEAD' : manifest.version;
/** Where a file of the repository is to be seen; a picture as it is (decision 0011). */
const places = {
	file: `${onGithub}/blob/${version}/`,
	folder: `${onGithub}/tree/${version}/`,
	picture: `https://raw.githubusercontent.com/${repository ?? ''}/${version}/`,
	start: onGithub,
};

/** What a text points at, pictures included. */
function targetsIn(text: string): string[] {
	const found = [
		...text.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g),
		...text.matchAll(/(?<!!)\[(?:[^\]]|!\[[^\]]*\]\([^)]*\))*\]\(([^)\s]+)\)/g),
	];
	return found.map(([, target = '']) => target);
}

/** The anchors that GitHub and npm make of a document's headings. */
function anchorsIn(document: string): string[] {
	return [...read(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

/** What is wrong with a target; undefined when it is there. */
function problem(document: string, target: string): string | undefined {
	const [file = '', anchor] = target.split('#');
	const full = path.resolve(root, path.dirname(document), file);
	if (full !== root && !full.startsWith(root + path.sep)) return `${target} is outside`;
	if (!existsSync(full)) return `${target} does not exist`;
	const named = file === '' ? document : path.relative(root, full);
	if (anchor === undefined || !named.endsWith('.md')) return undefined;
	return anchorsIn(named).includes(anchor) ? undefined : `${target}: no such heading`;
}

const problemsOf = (document: string, targets: string[]) =>
	targets.map((target) => problem(document, target)).filter((each) => each !== undefined);

const isAddress = (target: string) => /^(https?|mailto):/.test(target);

test.each(documents)(
	'%s points at files and headings of this repository that exist',
	(document) => {
		const targets = targetsIn(read(document)).filter((target) => !isAddress(target));
		expect(problemsOf(document, targets)).toEqual([]);
	},
);

/** What an address of this repository stands for, relative to its root; undefined for other addresses. */
function inRepository(address: string): string | undefined {
	const place = Object.values(places).find((each) => address.startsWith(each));
	if (place === undefined) return undefined;
	return address
		.slice(place.length)
		.replace(
			/^\/actions\/workflows\/([\w-]+\.yml)(\/badge\.svg\?branch=main)?$/,
			'.github/workflows/$1',
		);
}

test('README.md works on npm, too: it points at files by their full address, derived from package.json', () => {
	expect(repository).toBeDefined();
	const targets = targetsIn(read('README.md'));
	expect(targets.filter((target) => !isAddress(target) && !target.startsWith('#'))).toEqual([]);
	const own = targets.map(inRepository).filter((each) => each !== undefined);
	expect(own.length).toBeGreaterThan(10);
	expect(problemsOf('README.md', own)).toEqual([]);
	const pictures = targets.filter((target) => target.endsWith('.png'));
	expect(pictures.filter((target) => !target.startsWith(places.picture))).toEqual([]);
	// An address on GitHub that is none of these leads to a page that may not be there.
	const onOtherPages = targets.filter((each) => inRepository(each) === undefined);
	expect(onOtherPages.filter((each) => each.includes('github'))).toEqual([]);
});

test('what n8n shows as documentation of nodes and credential leads to a heading of README.md', () => {
	const sources = globSync(['nodes/*/*.node.json', 'credentials/*.ts'], { cwd: root });
	const addresses = sources.flatMap((file) => [
		...read(file).matchAll(/https:\/\/github\.com\/[^"'\s]+/g),
	]);
	expect(addresses.length).toBeGreaterThan(sources.length);
	const anchors = ['readme', ...anchorsIn('README.md')].map((anchor) => `${onGithub}#${anchor}`);
	for (const [address] of addresses) expect(anchors).toContain(address);
});

test('README.md names the version of package.json, and every older n8n that the engine tests run on', () => {
	const readme = read('README.md');
	const files = [...readme.matchAll(/n8n-nodes-backlink-exchange-(\d[\w.-]*)\.tgz/g)];
	expect(files.filter(([, named]) => named !== manifest.version)).toEqual([]);
	const older = JSON.parse(read('test/versions/versions.json')) as Array<{ n8n: string }>;
	const short = older.map(({ n8n }) => n8n.split('.').slice(0, 2).join('.'));
	const [, said = ''] = /- n8n ([\d., and]+): the nodes' engine tests/.exec(readme) ?? [];
	expect(said.split(/, | and /)).toEqual(short);
});
