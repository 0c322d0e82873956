/** How a node of a workflow is compared with what n8n knows of its type. */
import type { INode, INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import type { WorkflowNode } from '../../sandbox/start/n8n/workflowFiles.mts';
import { n8nWorkflow } from '../engine/n8n.mts';

/**
 * What is wrong with a node, in words; empty when nothing is.
 * @param descriptions one for each version of each node type that n8n knows
 * @param prefix of the type's name, which descriptions are written without
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
	// What n8n does when it loads a workflow: parameters that it does not know, or does not show, are not in the result.
	const kept = NodeHelpers.getNodeParameters(
		properties,
		node.parameters,
		true,
		false,
		node,
		description,
	);
	const lost = missingPaths(node.parameters, kept ?? {}).map(
		(at) => `${node.name}: ${node.type} ${node.typeVersion} has no parameter ${at}`,
	);
	const issues = NodeHelpers.getNodeParametersIssues(properties, node, description)?.parameters;
	return [
		...lost,
		...Object.values(issues ?? {})
			.flat()
			.map((issue) => `${node.name}: ${issue}`),
	];
}

/** The paths of all that is in `from` and not in `to`. */
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
