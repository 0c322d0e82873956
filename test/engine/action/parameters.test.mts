/**
 * Invalid parameters of every operation fail before any request, because an expression may return
 * any value.
 */
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { buildProperties } from '../../../nodes/BacklinkExchange/resources/index.ts';
import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { createNodeRunner } from '../nodeRunner.mts';
import { startTestService } from '../service.mts';
import { operations } from './operations.mts';

/** Returns expressions with invalid values for a field of this type. */
function getInvalidValues({ type, required }: INodeProperties, isOption: boolean): string[] {
	// n8n itself converts the value of a whole collection to an object.
	if (type === 'notice' || type === 'collection') return [];
	const isText = type === 'string' || type === 'resourceLocator';
	return [
		...['={{ $json.missing }}', '={{ [{ of: 5 }] }}'],
		...(isText && required !== true && !isOption ? [] : ['={{ "" }}']),
		...(isText ? [] : ['={{ "perhaps" }}']),
		...(type === 'number' ? ['={{ -1 }}'] : []),
	];
}

/** Returns the parameter values with which n8n shows the field. */
const getDisplayConditions = ({ displayOptions: { show = {} } = {} }: INodeProperties) =>
	Object.entries(show)
		.filter(([name]) => name !== 'resource' && name !== 'operation')
		.map(([name, values]) => [name, values?.[0]]);

/** Every field of every operation, and every entry of its collections, with each invalid value. */
const cases = operations.flatMap(({ resource, operation, parameters }) => {
	const fields = buildProperties().filter(
		({ displayOptions: { show = {} } = {} }) =>
			show.resource?.includes(resource) === true && show.operation?.includes(operation) === true,
	);
	const rows = (field: INodeProperties, collection?: string) =>
		getInvalidValues(field, collection !== undefined).map((value) => {
			const located = { __rl: true, mode: 'id', value };
			const rows = field.typeOptions?.multipleValues === true ? [located] : located;
			const written = field.type === 'resourceLocator' ? rows : value;
			const set = Object.fromEntries([
				...getDisplayConditions(field),
				[field.name, written],
			]) as INodeParameters;
			const merged = { ...parameters, ...(collection === undefined ? set : { [collection]: set }) };
			return [resource, operation, field.displayName, value, merged] as const;
		});
	const entries = (field: INodeProperties) => (field.options ?? []) as INodeProperties[];
	return fields.flatMap((field) => [
		...rows(field),
		...(field.type === 'collection'
			? entries(field).flatMap((entry) => rows(entry, field.name))
			: []),
	]);
});

test.each(cases)(
	'%s %s rejects %s as %s, without a request',
	async (resource, operation, label, _value, parameters) => {
		const { sandbox, run } = await startTestService();
		const { error } = await run(resource, operation, { parameters, items: [{ id: 'one' }] });
		expect(error?.message).toContain(`'${label}' `);
		expect(error?.message).toMatch(/ (is empty|must be) ?.*\[item 0\]$/);
		expect(error?.description).toContain('No request was sent for this item.');
		expect(sandbox.books.requests()).toEqual([]);
	},
);

test('sends nothing if one of ten rows is invalid, and the message contains the row', async () => {
	const { sandbox, accept } = await startTestService();
	const items = Array.from({ length: 10 }, (_, index) => ({
		id: sandbox.requestOffer().id,
		most: index === 7 ? 'many' : 10,
	}));
	const { error } = await accept(items, { maxAccepts: '={{ $json.most }}' });
	expect(error?.message).toBe("'Max Accepts' must be a whole number of 0 or more [item 7]");
	expect(error?.description).toContain('Received the text “many”.');
	expect(error?.context?.itemIndex).toBe(7);
	expect(sandbox.books.requests()).toEqual([]);
});

test('returns errors instead of the input when no item can run', async () => {
	const { accept } = createNodeRunner({ baseUrl: 'not an address', apiKey: 'key' });
	const { items } = await accept([{ id: 'one' }, { id: 'two' }], {}, { continueOnFail: true });
	const message = errorMessages.baseUrlInvalid;
	const json = {
		message: expect.stringContaining(message) as unknown,
		error: expect.objectContaining({ message }) as unknown,
	};
	expect(items.map((item) => item.json)).toEqual([json, json]);
});
