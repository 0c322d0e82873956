/** The names that n8n keeps for a node: asking is no writing. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { NodeRecord } from '../../../nodes/BacklinkExchange/nodeRecord.ts';
import { ProcessedData } from '../../engine/processedData.mts';

test('asking for names pushes none out, however full the record is', async () => {
	const processedData = new ProcessedData();
	const at = { workflow: { id: 'workflow' }, node: { id: 'node', name: 'node' } };
	const helpers: Partial<IExecuteFunctions['helpers']> = {
		checkProcessedAndRecord: async (names, scope, options) =>
			await processedData.checkProcessedAndRecord(names, scope, at as never, options),
		removeProcessed: async (names, scope) => {
			await processedData.removeProcessed(names, scope, at as never);
		},
	};
	const record = new NodeRecord({
		getWorkflow: () => at.workflow,
		getNode: () => at.node,
		helpers,
	} as unknown as IExecuteFunctions);
	const names = Array.from({ length: 2500 }, (_, index) => `name ${index}`);
	await record.add(names);
	const others = names.map((name) => `not ${name}`);
	expect((await record.has(others)).size).toBe(0);
	expect((await record.has(names)).size).toBe(2500);
	expect(processedData.size).toBe(5000);
	await record.add(['one more']);
	expect(processedData.size).toBe(5000);
	expect((await record.has(names)).size).toBe(2499);
});
