/** Requirements for every operation, so that new ones meet them. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { builderHint } from '../../../nodes/BacklinkExchange/builderHint.ts';
import { headlines } from '../../../nodes/BacklinkExchange/resources/exchange/decision.ts';
import { resources } from '../../../nodes/BacklinkExchange/resources/index.ts';
import {
	formatOutputSchema,
	type OutputSchema,
} from '../../../nodes/shared/descriptions/outputSchema.ts';
import { read, root } from '../../repository.mts';
import { differences } from '../outputSchema.mts';
import { startTestService } from '../service.mts';
import { getOutputs, operations } from './operations.mts';

const schemaFolder = path.join(root, 'nodes/BacklinkExchange/__schema__/v1.0.0');

const registered = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({ resource, operation })),
);
const names = registered.map(({ resource, operation }) => `${resource.value}/${operation.value}`);

test('the table of all operations contains each operation exactly once', () => {
	const rows = operations.map(({ resource, operation }) => `${resource}/${operation}`);
	expect(rows.sort()).toEqual([...names].sort());
});

test('README lists every operation as the editor does', () => {
	const rows = read('README.md')
		.split('\n')
		.map((line) => line.split('|').map((cell) => cell.trim()));
	const missing = registered.filter(
		({ resource, operation }) =>
			!rows.some(
				([, first, second]) =>
					first === `**${resource.name}**: ${operation.name}` && second === operation.action,
			),
	);
	expect(missing.map(({ resource, operation }) => `${resource.name}: ${operation.name}`)).toEqual(
		[],
	);
});

test('every operation has a __schema__ or a reason for none, and no schema is left over', () => {
	const expected = operations
		.filter(({ withoutSchema }) => withoutSchema === undefined)
		.map(({ resource, operation }) => `${resource}/${operation}.json`);
	expect(globSync('*/*.json', { cwd: schemaFolder }).sort()).toEqual(expected.sort());
});

function readSchema(resource: string, operation: string): OutputSchema {
	const file = path.join(schemaFolder, resource, `${operation}.json`);
	return JSON.parse(readFileSync(file, 'utf8')) as OutputSchema;
}

test.each(operations.filter(({ withoutSchema }) => withoutSchema === undefined))(
	'the output matches the __schema__: $resource $operation',
	async (row) => {
		const schema = readSchema(row.resource, row.operation);
		const items = await getOutputs(row, await startTestService());
		expect(items.length).toBeGreaterThan(0);
		expect(differences(schema, items, row.undocumented)).toEqual([]);
	},
);

test.each(operations)(
	'the hints for models match the __schema__: $resource $operation',
	({ resource, operation, withoutSchema }) => {
		const shown = builderHint.extraTypeDefContent?.filter(
			({ displayOptions: { show } = {} }) =>
				show?.resource?.[0] === resource && show.operation?.[0] === operation,
		);
		const text = shown?.map(({ content }) => content).join() ?? '';
		if (withoutSchema !== undefined) expect(text).not.toContain('Items:');
		else expect(text).toContain(formatOutputSchema(readSchema(resource, operation)));
	},
);

test('the schema contains every outcome of an offer', () => {
	const listed = readSchema('exchange', 'acceptMany').properties?.outcome?.enum ?? [];
	expect([...listed].sort()).toEqual(Object.keys(headlines).sort());
});
