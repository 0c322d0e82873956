/** The n8n that is installed here: its manifest, its lock file, and npm's settings for it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of these three files. */
export const manifestFolder = join(import.meta.dirname, 'versions/2');

/** The version of n8n. */
export const n8nVersion = (
	JSON.parse(readFileSync(join(manifestFolder, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	}
).dependencies.n8n;
