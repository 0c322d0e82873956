/** Which end-to-end tests fit an older n8n. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { readWorkflow } from '../../playground/n8n/workflowFiles.mts';
import { fits } from '../../playground/n8n/workflowVersions.mts';

const root = path.resolve(import.meta.dirname, '../..');
const workflowTests = globSync('test/e2e/workflows/*.test.mts', { cwd: root }).sort();

/**
 * The trigger, the credential's test, the parameters of the ready-made workflows, and the tests of those ready-made
 * workflows that work on that version. Files of tests, from the root of this project.
 */
export function testsThatFit(n8nVersion: string): string[] {
	return [
		'test/e2e/webhook.test.mts',
		'test/e2e/credentialTest.test.mts',
		'test/e2e/workflows/parameters.test.mts',
		...workflowTests.filter((file) => {
			const needed = workflowsIn(file);
			return needed.length > 0 && needed.every((name) => fits(readWorkflow(name), n8nVersion));
		}),
	];
}

/** The ready-made workflows that a file of tests imports. */
function workflowsIn(file: string): string[] {
	const text = readFileSync(path.join(root, file), 'utf8');
	const imported = [...text.matchAll(/importWorkflow\(\s*'([\w-]+)'/g)];
	return imported.map(([, name = '']) => name);
}
