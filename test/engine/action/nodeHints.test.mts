/** Hints in the output pane before the execution, evaluated by n8n's own expressions. */
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { actionType, nodeTypes } from '../engine.mts';
import { n8nWorkflow } from '../n8n.mts';

const actionNode = nodeTypes().getByNameAndVersion(actionType);
const { description } = actionNode;

/** The fields that n8n 2.41 adds to a node that is a tool (its function `convertNodeToAiTool`). */
const toolFields: INodeProperties[] = [
	{
		displayName: 'Tool Description',
		name: 'descriptionType',
		type: 'options',
		options: [
			{ name: 'Set Automatically', value: 'auto' },
			{ name: 'Set Manually', value: 'manual' },
		],
		default: 'auto',
	},
];

/** Returns the hints that the editor shows before the execution. */
function getHints(parameters: INodeParameters, fields: INodeProperties[] = []): string[] {
	const nodeType = {
		...actionNode,
		description: { ...description, properties: [...fields, ...description.properties] },
	};
	const workflow = new n8nWorkflow.Workflow({
		nodes: [
			{ id: '1', name: 'Node', type: actionType, typeVersion: 1, position: [0, 0], parameters },
		],
		connections: {},
		active: false,
		nodeTypes: { ...nodeTypes(), getByNameAndVersion: () => nodeType },
	});
	const node = workflow.getNode('Node');
	if (node === null) throw new Error('The workflow has no node.');
	return (description.hints ?? [])
		.filter(({ displayCondition = '' }) => {
			const { expression } = workflow;
			return expression.getSimpleParameterValue(node, displayCondition, 'internal', {}) === true;
		})
		.map(({ message }) => message);
}

describe.each(['accept', 'acceptMany'])('before %s', (operation) => {
	const parameters = { resource: 'exchange', operation };

	test('a dry run shows that no credits are spent, as a tool too', () => {
		const expected = [expect.stringMatching(/^Dry run: this node spends no credits/)];
		expect(getHints({ ...parameters, dryRun: true })).toEqual(expected);
		expect(getHints({ ...parameters, dryRun: true }, toolFields)).toEqual(expected);
	});

	test('a live run shows that credits are spent', () => {
		expect(getHints({ ...parameters, dryRun: false })).toEqual([
			expect.stringMatching(/^This node accepts offers and spends credits/),
		]);
	});

	test('a live tool asks for a human review step', () => {
		expect(getHints({ ...parameters, dryRun: false }, toolFields)).toEqual([
			expect.stringMatching(/^This tool accepts offers .* human review step/),
		]);
	});
});

test('an operation that spends nothing shows no hint', () => {
	expect(getHints({ resource: 'exchange', operation: 'getAll' }, toolFields)).toEqual([]);
});
