/**
 * The versions of n8n that can be installed here, each with a manifest and a lock file in a folder of `versions/` that is
 * named after its major version, and what this project does differently with an older one. `npm run update:n8n` changes them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { InstallationError } from '../../scripts/installation.mjs';
import { folderOf, majorOf, majorsIn } from './places.mts';

const root = join(import.meta.dirname, '../..');

/** The versions of n8n that can be installed, the oldest first. */
export const n8nVersions = majorsIn(root).map((major) => {
	const manifest = readFileSync(join(root, folderOf(major), 'package.json'), 'utf8');
	return (JSON.parse(manifest) as { dependencies: { n8n: string } }).dependencies.n8n;
});

/** The version of n8n that is used unless another one is asked for. */
export const newestN8n = n8nVersions.at(-1) ?? '';

/**
 * @param wanted a version, or only its major one
 * @throws InstallationError that names the versions that there are
 */
export function requireVersion(wanted: string): string {
	const version = n8nVersions.find((each) => each === wanted || majorOf(each) === wanted);
	if (version !== undefined) return version;
	throw new InstallationError(
		`n8n ${wanted} cannot be installed here. Choose one of ${n8nVersions.join(', ')}, or ${n8nVersions.map(majorOf).join(', ')} for short.`,
	);
}

/** The folder with the manifest and the lock file of that n8n, and with npm's settings for it. */
export function manifestFolder(version: string): string {
	return join(root, folderOf(majorOf(version)));
}

/** The version of the n8n that is installed in this folder. */
export function versionOf(installation: string): string {
	const manifest = readFileSync(join(installation, 'node_modules/n8n/package.json'), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}

/** What differs from the newest n8n in how it is set up and used. */
export interface Differences {
	/** n8n creates its owner from environment variables; otherwise the first visitor of the editor does. */
	ownerFromEnvironment: boolean;
	/** n8n ends at start when one of these does not exist in it. */
	disabledModules: string;
	/** Arguments of the command that publishes a workflow; "activates" it, in the words of n8n 1. */
	publish: (workflowId: string) => string[];
}

/** How the n8n in this folder is to be set up and used. */
export function differencesOf(installation: string): Differences {
	return versionOf(installation).startsWith('1.')
		? {
				ownerFromEnvironment: false,
				disabledModules: '',
				publish: (id) => ['update:workflow', `--id=${id}`, '--active=true'],
			}
		: {
				ownerFromEnvironment: true,
				// the list of MCP servers is fetched; n8n's AI assistant greets everybody who logs in
				disabledModules: 'mcp-registry,instance-ai',
				publish: (id) => ['publish:workflow', `--id=${id}`],
			};
}
