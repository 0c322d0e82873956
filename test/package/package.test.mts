/** What would be published: the files of `npm pack`, as n8n's own scanner sees them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { beforeAll, expect, test, vi } from 'vitest';

import { sharedFolder } from '../fixtures.mts';
import { read, root } from '../repository.mts';

const folder = sharedFolder();
const packed = path.join(folder, 'package');
let tarball: string;
let files: string[];

beforeAll(() => {
	execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: root, stdio: 'ignore' });
	const [packedHere = 'npm pack made nothing'] = globSync('*.tgz', { cwd: folder });
	tarball = path.join(folder, packedHere);
	execFileSync('tar', ['-xzf', tarball], { cwd: folder });
	files = globSync('**', { cwd: packed }).filter((name) =>
		statSync(path.join(packed, name)).isFile(),
	);
});

test('nothing ships but the compiled nodes, their icons, and what npm adds', () => {
	const expected =
		/^(dist\/(nodes|credentials)\/.+\.(js|json)|dist\/icons\/.+\.svg|dist\/package\.json|package\.json|README\.md|CHANGELOG\.md|LICENSE\.md)$/;
	expect(files.filter((file) => !expected.test(file))).toEqual([]);
});

test('what ships is what the other tests run: each file is the one that stands here', () => {
	const differing = files.filter(
		(file) => !readFileSync(path.join(packed, file)).equals(readFileSync(path.join(root, file))),
	);
	expect(differing).toEqual([]);
});

test('the file is all that "npm install" needs, without a network', { timeout: 120_000 }, () => {
	const nodes = path.join(folder, 'nodes');
	mkdirSync(nodes);
	// As n8n does: otherwise npm looks for a project in the folders above.
	writeFileSync(path.join(nodes, 'package.json'), '{}');
	const env = { ...process.env, npm_config_cache: path.join(folder, 'npm') };
	execFileSync('npm', ['install', '--offline', tarball], { cwd: nodes, env, stdio: 'ignore' });
	const installed = globSync('[!.]*', { cwd: path.join(nodes, 'node_modules') });
	expect(installed).toEqual(['n8n-nodes-backlink-exchange']);
});

test('every node ships with its code, codex and icons; the credential too', () => {
	const { n8n } = JSON.parse(read('package.json')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	expect(files).toEqual(expect.arrayContaining([...n8n.nodes, ...n8n.credentials]));
	expect(files).toEqual(expect.arrayContaining(n8n.nodes.map((file) => `${file}on`)));
	expect(files.filter((file) => file.endsWith('.svg')).length).toBe(2);
});

test('the codex of each node has its version', () => {
	for (const file of globSync('dist/nodes/*/*.node.js', { cwd: root })) {
		const classes = createRequire(import.meta.url)(path.join(root, file)) as Record<
			string,
			new () => { description: { version: number } }
		>;
		const [Node] = Object.values(classes);
		const { nodeVersion } = JSON.parse(read(`${file}on`)) as { nodeVersion: string };
		expect([file, Number(nodeVersion)]).toEqual([file, Node && new Node().description.version]);
	}
});

test('the package has no runtime dependency and no install script', () => {
	const manifest = JSON.parse(readFileSync(path.join(packed, 'package.json'), 'utf8')) as {
		dependencies?: object;
		scripts: Record<string, string>;
	};
	expect(manifest.dependencies).toBeUndefined();
	expect(
		Object.keys(manifest.scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name)),
	).toEqual([]);
});

test("npm publish stops on a person's computer", { timeout: 60_000 }, () => {
	// From a clone that was not built, npm would publish four files. With --dry-run, nothing is sent in any case.
	const args = ['publish', '--dry-run'];
	const { status, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
	expect(stderr).toContain('Only the workflow publish.yml publishes');
	expect(status).not.toBe(0);
});

interface Verdict {
	passed: boolean;
	details?: string;
}
// Not under its own name, because TypeScript must not read it.
const scanner = '@n8n/scan-community-package/scanner/scanner.mjs';
const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(scanner)) as {
	analyzePackage: (folder: string, patterns?: string[]) => Promise<Verdict>;
	/** What the scanner checks in the repository that a package was built from. */
	SOURCE_FILE_PATTERNS: string[];
};

test.each([
	['the package', () => analyzePackage(packed)],
	['its source', () => analyzePackage(root, SOURCE_FILE_PATTERNS)],
])("n8n's scanner has nothing to say about %s", { timeout: 120_000 }, async (_, scan) => {
	// As "test", it makes n8n's lint rules take every file for their own "Test.node.ts".
	vi.stubEnv('NODE_ENV', 'production');
	const { passed, details } = await scan();
	expect(details ?? '').toBe('');
	expect(passed).toBe(true);
});
