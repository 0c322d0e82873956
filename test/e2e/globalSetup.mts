/**
 * Installs the package in an n8n and starts it once, before all tests.
 *
 * Packing, and the migrations of an empty database, take longer than many tests. Each n8n of the
 * run starts as a copy of this one. Vitest calls this file.
 */
import '../../scripts/endWithNpm.mts';

import { RealN8n, templateVariable } from './realN8n.mts';

export default async function startOnce(): Promise<() => Promise<void>> {
	const n8n = await RealN8n.prepare();
	await n8n.start();
	await n8n.stop();
	process.env[templateVariable] = n8n.dataFolder;
	return async () => {
		await n8n.remove();
	};
}
