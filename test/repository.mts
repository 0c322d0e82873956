/** Access to the files of this repository. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');

/** Reads a file by its path from the root, or from that of a copy. */
export function read(file: string, folder = root): string {
	return readFileSync(path.join(folder, file), 'utf8');
}

/**
 * Lists all files that git tracks, or would add with the next commit, by their paths from the root.
 */
export function listFiles(): string[] {
	const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
	const listed = execFileSync('git', listing, { cwd: root, encoding: 'utf8' });
	return listed.split('\0').filter((file) => file !== '');
}
