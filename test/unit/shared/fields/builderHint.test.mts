import { expect, test } from 'vitest';

import { describeItems } from '../../../../nodes/shared/fields/builderHint.ts';

test('items are described in the notation of TypeScript', () => {
	const listed = { type: 'string', enum: ['a', 'b'] };
	const nested = { type: 'object', properties: { list: { type: 'array' } } };
	const schema = {
		type: 'object',
		properties: { outcome: listed, count: { type: 'integer' }, nested, any: { type: 'object' } },
		required: ['outcome'],
	};
	expect(describeItems(schema)).toBe(
		"Items: { outcome: 'a'|'b', count?: number, nested?: { list?: array }, any?: object }",
	);
});
