/** The files that `npm pack` would publish, checked as n8n's own scanner does. */
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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

test("contains only the compiled nodes, their icons, and npm's default files", () => {
	const expected =
		/^(dist\/(nodes|credentials)\/.+\.(js|json)|dist\/icons\/.+\.svg|dist\/package\.json|package\.json|README\.md|CHANGELOG\.md|LICENSE\.md)$/;
	expect(files.filter((file) => !expected.test(file))).toEqual([]);
});

test('contains the files that the other tests run', () => {
	const differing = files.filter(
		(file) => !readFileSync(path.join(packed, file)).equals(readFileSync(path.join(root, file))),
	);
	expect(differing).toEqual([]);
});

test('installs with "npm install" from one file, without a network', { timeout: 120_000 }, () => {
	const nodes = path.join(folder, 'nodes');
	mkdirSync(nodes);
	// As n8n does: otherwise npm looks for a project in the parent folders.
	writeFileSync(path.join(nodes, 'package.json'), '{}');
	const env = { ...process.env, npm_config_cache: path.join(folder, 'npm') };
	execFileSync('npm', ['install', '--offline', tarball], { cwd: nodes, env, stdio: 'ignore' });
	const installed = globSync('[!.]*', { cwd: path.join(nodes, 'node_modules') });
	expect(installed).toEqual(['n8n-nodes-backlink-exchange']);
});

test('contains code, codex and icons of every node, and the credential', () => {
	const { n8n } = JSON.parse(read('package.json')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	expect(files).toEqual(expect.arrayContaining([...n8n.nodes, ...n8n.credentials]));
	expect(files).toEqual(expect.arrayContaining(n8n.nodes.map((file) => `${file}on`)));
	expect(files.filter((file) => file.endsWith('.svg')).length).toBe(2);
});

test("the codex of each node meets n8n's verification", () => {
	const codexFiles = globSync('dist/nodes/*/*.node.json', { cwd: root });
	expect(codexFiles.length).toBe(3);
	for (const file of codexFiles) {
		// Always 1.0, unrelated to the version of the node.
		expect(JSON.parse(read(file)), file).toMatchObject({
			nodeVersion: '1.0',
			codexVersion: '1.0',
			categories: ['Marketing & Content'],
		});
	}
});

test('has no runtime dependency and no install script', () => {
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
	// From a clone that was not built, npm would publish four files. With --dry-run, nothing is sent
	// in any case.
	const args = ['publish', '--dry-run'];
	const { status, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
	expect(stderr).toContain('Only the workflow publish.yml publishes');
	expect(status).not.toBe(0);
});

interface Verdict {
	passed: boolean;
	details?: string;
}
// In a variable, because TypeScript must not resolve it.
const scanner = '@n8n/scan-community-package/scanner/scanner.mjs';
const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(scanner)) as {
	analyzePackage: (folder: string, patterns?: string[]) => Promise<Verdict>;
	/** Files that the scanner checks in the source repository of a package. */
	SOURCE_FILE_PATTERNS: string[];
};

test.each([
	['the package', () => analyzePackage(packed)],
	['its source', () => analyzePackage(root, SOURCE_FILE_PATTERNS)],
])("n8n's scanner finds nothing in %s", { timeout: 120_000 }, async (_, scan) => {
	// As "test", it makes n8n's lint rules treat every file as a "Test.node.ts" of their own.
	vi.stubEnv('NODE_ENV', 'production');
	const { passed, details } = await scan();
	expect(details ?? '').toBe('');
	expect(passed).toBe(true);
});
