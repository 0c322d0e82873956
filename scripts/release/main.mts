/**
 * What `npm run release` does: looks whether everything is right for publishing the version in package.json, packs it,
 * and, in the workflow that a tag starts on GitHub, publishes the tarball with provenance and attaches it to the release.
 * With --dry-run it stops before that: what is still to do is listed and no failure; contradictions are.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { releaseNotes } from './checks.mts';
import { lookAtRelease, type Manifest, readManifest } from './state.mts';

const root = join(import.meta.dirname, '../..');

/** @throws Error with what the command said, when it fails */
function read(command: string, ...args: string[]): string {
	const { status, stdout, stderr, error } = spawnSync(command, args, {
		cwd: root,
		encoding: 'utf8',
	});
	if (status === 0) return stdout.trim();
	throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

/** @throws Error when it fails; what it says is shown */
function run(command: string, ...args: string[]): void {
	console.log(`$ ${[command, ...args].join(' ')}`);
	const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
	if (status !== 0) throw new Error(`${command} failed.`);
}

interface Packed {
	path: string;
	/** As the registry names it (Subresource Integrity). */
	integrity: string;
}

/** Packs what is built, in the folder release/. */
function pack({ name, version }: Manifest): Packed {
	const folder = join(root, 'release');
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	read('npm', 'pack', '--ignore-scripts', '--pack-destination', folder);
	const path = join(folder, `${name}-${version}.tgz`);
	const digest = createHash('sha512').update(readFileSync(path)).digest('base64');
	return { path, integrity: `sha512-${digest}` };
}

/** Publishes the tarball, unless an earlier run of this workflow has: then it must be the very same. */
function publish({ name, version }: Manifest, { path, integrity }: Packed): void {
	const view = ['view', `${name}@${version}`, 'dist.integrity', '--json'];
	const published = spawnSync('npm', view, { cwd: root, encoding: 'utf8' });
	if (published.status === 0 && published.stdout.trim() !== '') {
		if (JSON.parse(published.stdout) !== integrity) {
			throw new Error(`${name}@${version} is published already, with another content.`);
		}
		console.log(`${name}@${version} is published already.`);
		return;
	}
	// Without a tag, npm would hand an alpha to everybody.
	const tag = version.includes('-') ? 'next' : 'latest';
	run('npm', 'publish', path, '--provenance', '--access', 'public', '--tag', tag);
}

/** Makes the release on GitHub, or adds the tarball to the one that is there. */
function attach({ name, version }: Manifest, { path }: Packed): void {
	const folder = mkdtempSync(join(tmpdir(), 'release-notes-'));
	try {
		const { status } = spawnSync('gh', ['release', 'view', version], { cwd: root });
		if (status === 0) {
			run('gh', 'release', 'upload', version, path, '--clobber');
			return;
		}
		const notes = join(folder, 'notes.md');
		writeFileSync(
			notes,
			releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version) ?? '',
		);
		const options = ['--verify-tag', '--title', `${name} ${version}`, '--notes-file', notes];
		run('gh', 'release', 'create', version, path, ...options);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const marks = { ok: '✓', 'to do': '…', wrong: '✗' };

function main(dryRun: boolean): boolean {
	const manifest = readManifest('package.json');
	const findings = lookAtRelease(manifest);
	for (const { title, state, detail } of findings) {
		console.log(`${marks[state]} ${title}${detail === '' ? '' : `: ${detail}`}`);
	}
	const packed = pack(manifest);
	console.log(`✓ packed ${packed.path} (${packed.integrity})`);

	const isWrong = findings.some(({ state }) => state === 'wrong');
	if (dryRun || isWrong) return !isWrong;
	if (findings.some(({ state }) => state === 'to do')) {
		console.error('Not published: see above what is to do (…), and docs/releasing.md.');
		return false;
	}
	publish(manifest, packed);
	attach(manifest, packed);
	return true;
}

try {
	const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
	process.exitCode = main(values['dry-run']) ? 0 : 1;
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
