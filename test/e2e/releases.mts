/** The packages of this project that users may have: each release as it was published, and what the sources would be released as. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { packPackage } from '../../playground/n8n/packedPackage.mts';

const kept = join(import.meta.dirname, '../package/releases');

export interface Release {
	version: string;
	tarball: string;
}

/** The kept releases, in no particular order. */
export const releases: Release[] = globSync('*.tgz', { cwd: kept }).map((file) => {
	const tarball = join(kept, file);
	return { version: versionOf(tarball), tarball };
});

/** Packs the sources as they are. */
export async function packRelease(folder: string): Promise<Release> {
	mkdirSync(folder, { recursive: true });
	const tarball = await packPackage(join(folder, 'packed'), new AbortController().signal);
	return { version: versionOf(tarball), tarball };
}

/** Packs the sources as the release after the version in package.json, which may be out already. */
export async function packNextRelease(folder: string): Promise<Release> {
	const signal = new AbortController().signal;
	const packed = await packPackage(join(folder, 'packed'), signal);
	const unpacked = join(folder, 'unpacked');
	rmSync(unpacked, { recursive: true, force: true });
	mkdirSync(unpacked);
	execFileSync('tar', ['-xzf', packed, '-C', unpacked]);
	const file = join(unpacked, 'package', 'package.json');
	const manifest = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string };
	const [major = '', minor = '', patch = ''] = manifest.version.split('.');
	const version = `${major}.${minor}.${Number(patch) + 1}`;
	writeFileSync(file, JSON.stringify({ ...manifest, version }, null, '\t'));
	const tarball = join(folder, `${manifest.name}-${version}.tgz`);
	execFileSync('tar', ['-czf', tarball, '-C', unpacked, 'package']);
	return { version, tarball };
}

function versionOf(tarball: string): string {
	const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json']).toString();
	return (JSON.parse(text) as { version: string }).version;
}
