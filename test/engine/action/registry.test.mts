/** What a new operation must not be without. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { resources } from '../../../nodes/BacklinkExchange/registry.ts';
import { read, root } from '../../repository.mts';
import { testService } from '../service.mts';
import { operations } from './operations.mts';

const schemaFolder = path.join(root, 'nodes/BacklinkExchange/__schema__/v1.0.0');

const registered = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({ resource, operation })),
);
const names = registered.map(({ resource, operation }) => `${resource.value}/${operation.value}`);

test('every operation has its row in the table that the tests of all operations use, once', () => {
	const rows = operations.map(({ resource, operation }) => `${resource}/${operation}`);
	expect(rows.sort()).toEqual([...names].sort());
});

test('every operation has its row in the README, under the names that the editor shows', () => {
	const readme = read('README.md');
	const documented: string[] = [];
	let current = '';
	for (const [, resource = '', operation = '', does = ''] of readme.matchAll(
		/^\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm,
	)) {
		// A resource stands in the first of its rows only.
		current = resource.trim() || current;
		if (does.trim() !== '') documented.push(`${current}: ${operation.trim()}`);
	}
	expect(documented).toEqual(
		expect.arrayContaining(
			registered.map(({ resource, operation }) => `${resource.name}: ${operation.name}`),
		),
	);
});

test('every operation has its __schema__, or says why it has none, and no schema is left over', () => {
	const expected = operations
		.filter(({ withoutSchema }) => withoutSchema === undefined)
		.map(({ resource, operation }) => `${resource}/${operation}.json`);
	expect(globSync('*/*.json', { cwd: schemaFolder }).sort()).toEqual(expected.sort());
});

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
}

/** Where the values and the schema differ: a field of another type, one that never came, one that the schema lacks. */
function differences(schema: Schema, values: unknown[], place: string, known: string[]): string[] {
	const wrong = values.filter((value) => typeName(value) !== schema.type);
	if (wrong.length > 0) return [`${place} is no ${schema.type}: ${JSON.stringify(wrong[0])}`];
	if (schema.properties === undefined) return [];
	const records = values as IDataObject[];
	const fields = Object.entries(schema.properties).flatMap(([name, property]) => {
		const found = records
			.map((record) => record[name])
			.filter((value) => value !== undefined && value !== null);
		if (found.length === 0) return [`${place}.${name} never came`];
		return differences(property, found, `${place}.${name}`, known);
	});
	const lacking = new Set(
		records
			.flatMap((record) => Object.keys(record))
			.filter((name) => !(name in (schema.properties ?? {})) && !known.includes(name)),
	);
	return [...fields, ...[...lacking].map((name) => `${place}.${name} is not in the schema`)];
}

function typeName(value: unknown): string {
	if (Array.isArray(value)) return 'array';
	return Number.isInteger(value) ? 'integer' : typeof value;
}

test.each(operations.filter(({ withoutSchema }) => withoutSchema === undefined))(
	'what comes out is what the __schema__ says: $resource $operation',
	async ({ resource, operation, outputs, undocumented = [] }) => {
		const file = path.join(schemaFolder, resource, `${operation}.json`);
		const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema;
		const items = await outputs(await testService());
		expect(items.length).toBeGreaterThan(0);
		expect(differences(schema, items, 'item', undocumented)).toEqual([]);
	},
);
