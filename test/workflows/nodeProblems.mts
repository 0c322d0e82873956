/** Compares a node of a workflow with n8n's description of its type. */
import type { INode, INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import type { WorkflowNode } from '../../sandbox/start/n8n/workflowFiles.mts';
import { n8nWorkflow } from '../engine/n8n.mts';

/**
 * Returns what is wrong with a node, in words; empty if nothing is.
 *
 * @param descriptions one for each version of each node type that n8n knows
 * @param prefix of the type's name, which the descriptions lack
 */
export function findProblems(
	file: WorkflowNode,
	descriptions: INodeTypeDescription[],
	prefix: string,
): string[] {
	const node = file as INode;
	const description = descriptions.find(
		({ name, version }) =>
			`${prefix}${name}` === node.type && [version].flat().includes(node.typeVersion),
	);
	if (description === undefined) {
		return [`${node.name}: there is no version ${node.typeVersion} of ${node.type}`];
	}
	const { NodeHelpers } = n8nWorkflow;
	const { properties } = description;
	// n8n does this when it loads a workflow: the result lacks unknown and hidden parameters.
	const resolved = NodeHelpers.getNodeParameters(
		properties,
		node.parameters,
		true,
		false,
		node,
		description,
	);
	const lostParameters = missingPaths(node.parameters, resolved ?? {}).map(
		(at) => `${node.name}: ${node.type} ${node.typeVersion} has no parameter ${at}`,
	);
	const issues = NodeHelpers.getNodeParametersIssues(properties, node, description)?.parameters;
	return [
		...lostParameters,
		...Object.values(issues ?? {})
			.flat()
			.map((issue) => `${node.name}: ${issue}`),
	];
}

/** Returns the paths in `from` that `to` lacks. */
function missingPaths(from: INodeParameters, to: INodeParameters, before = ''): string[] {
	return Object.entries(from).flatMap(([key, value]) => {
		const at = `${before}${key}`;
		if (!(key in to)) return [at];
		const other = to[key];
		if (typeof value !== 'object' || value === null) return [];
		if (typeof other !== 'object' || other === null) return [at];
		return missingPaths(value as INodeParameters, other as INodeParameters, `${at}.`);
	});
}
