import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The settings with which n8n loads nodes again whenever their files change. */
export const reloadSettings = { N8N_DEV_RELOAD: 'true' };

/**
 * Compiles the nodes into n8n's installed package whenever a source changes, until it is stopped. Icons, codex and schemas are
 * those of the start.
 *
 * @param data the playground's data folder
 * @param userFolder n8n's user folder
 */
export function startLiveBuild(data: string, userFolder: string): { stop: () => void } {
	// What is installed then is no longer what was packed: the next start packs again.
	rmSync(join(data, 'installed-package'), { force: true });
	const installed = join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-backlink-exchange/dist');
	const compiler = spawn('tsc', ['--watch', '--preserveWatchOutput', '--outDir', installed], {
		cwd: root,
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	return { stop: () => compiler.kill() };
}
