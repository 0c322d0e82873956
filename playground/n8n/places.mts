/** Where versions of n8n stand in this project, how another one is written there, and whether they agree. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A version of n8n, with the engine and the interface that it brings. */
export interface Versions {
	n8n: string;
	core: string;
	workflow: string;
}

interface LockFile {
	packages: Record<string, { version?: string; dependencies?: Record<string, string> } | undefined>;
}

/** The documents that name the minor version that is developed against. */
const documents = ['README.md', 'docs/installing.md'];
const olderEngines = 'test/versions/versions.json';

/** The folder of the manifest and the lock file of a major version, from the root of the project. */
export function folderOf(major: string): string {
	return join('playground/n8n/versions', major);
}

/** The major version, such as 2. */
export function majorOf(version: string): string {
	return version.split('.', 1)[0] ?? '';
}

/** The major versions that there are, the oldest first. */
export function majorsIn(root: string): string[] {
	return readdirSync(join(root, folderOf(''))).sort((one, other) => Number(one) - Number(other));
}

/** What a lock file of n8n installs. */
export function versionsIn(lockFile: string): Versions {
	const { packages } = JSON.parse(lockFile) as LockFile;
	const version = (name: string) => packages[`node_modules/${name}`]?.version ?? 'none';
	return { n8n: version('n8n'), core: version('n8n-core'), workflow: version('n8n-workflow') };
}

/**
 * The texts that another version of n8n changes, by file from the root, all but lock files.
 * @throws Error for a file in which the old version does not stand as it should
 */
export function edits(root: string, from: Versions, to: Versions): Record<string, string> {
	const major = majorOf(from.n8n);
	const manifest = join(folderOf(major), 'package.json');
	const edited: Record<string, string> = {
		[manifest]: replace(root, manifest, [[`"n8n": "${from.n8n}"`, `"n8n": "${to.n8n}"`]]),
	};
	if (major !== majorsIn(root).at(-1)) {
		edited[olderEngines] = replace(root, olderEngines, [[row(from), row(to)]]);
		return edited;
	}
	edited['package.json'] = replace(root, 'package.json', [
		[`"n8n-core": "${from.core}"`, `"n8n-core": "${to.core}"`],
		[`"n8n-workflow": "${from.workflow}"`, `"n8n-workflow": "${to.workflow}"`],
	]);
	for (const document of documents) {
		edited[document] = replace(root, document, [
			[`n8n ${minorOf(from.n8n)}`, `n8n ${minorOf(to.n8n)}`],
		]);
	}
	return edited;
}

/**
 * The versions to try, in this order, when n8n is to go from `current` to `wanted`: itself, then the older ones down to
 * the current one, for a registry that lacks packages of the newer ones.
 *
 * @param released all versions that the registry has
 */
export function candidates(released: string[], current: string, wanted: string): string[] {
	const newestFirst = (one: string, other: string) =>
		other.localeCompare(one, 'en', { numeric: true });
	return released
		.filter((version) => /^\d+\.\d+\.\d+$/.test(version) && majorOf(version) === majorOf(wanted))
		.filter((version) => version === wanted || newestFirst(version, current) < 0)
		.filter((version) => newestFirst(version, wanted) >= 0)
		.sort(newestFirst);
}

/** What does not agree, in words; nothing when all places do. */
export function disagreements(root: string): string[] {
	const majors = majorsIn(root);
	return majors.flatMap((major) => {
		const lockFile = read(root, join(folderOf(major), 'package-lock.json'));
		const { packages } = JSON.parse(lockFile) as LockFile;
		const versions = versionsIn(lockFile);
		const found: string[] = [];
		if (packages['']?.dependencies?.n8n !== versions.n8n) {
			found.push(`${folderOf(major)}/package-lock.json disagrees with itself`);
		}
		if (major === majors.at(-1)) {
			const { core, workflow } = versionsIn(read(root, 'package-lock.json'));
			if (core !== versions.core || workflow !== versions.workflow) {
				found.push(`package-lock.json has n8n-core ${core} and n8n-workflow ${workflow}`);
			}
		}
		try {
			edits(root, versions, versions);
		} catch (error) {
			found.push(error instanceof Error ? error.message : String(error));
		}
		return found.map((what) => `${what}, with n8n ${versions.n8n} in ${folderOf(major)}`);
	});
}

function read(root: string, file: string): string {
	return readFileSync(join(root, file), 'utf8');
}

function replace(root: string, file: string, replacements: Array<[string, string]>): string {
	let text = read(root, file);
	for (const [from, to] of replacements) {
		if (!text.includes(from)) throw new Error(`${file} does not say ${from}`);
		text = text.replaceAll(from, to);
	}
	return text;
}

/** Versions as the file about older engines has them. */
function row({ n8n, core, workflow }: Versions): string {
	return `"n8n": "${n8n}",\n\t\t"core": "${core}",\n\t\t"workflow": "${workflow}"`;
}

/** The minor version, such as 2.41. */
function minorOf(version: string): string {
	return version.split('.').slice(0, 2).join('.');
}
