import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { INodeTypeDescription } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { installN8n } from '../../../sandbox/start/n8n/installation.mts';
import {
	readWorkflow,
	workflowNames,
	type WorkflowNode,
} from '../../../sandbox/start/n8n/workflowFiles.mts';
import { findProblems } from '../../workflows/nodeProblems.mts';

const installation = await installN8n(new AbortController().signal);

const require = createRequire(path.join(installation, 'package.json'));
interface ToolGeneration {
	createHitlTools: (types: { nodes: INodeTypeDescription[] }, known: object) => void;
}

function readDescriptions(packageName: string): INodeTypeDescription[] {
	const file = path.join(installation, 'node_modules', packageName, 'dist/types/nodes.json');
	const nodes = JSON.parse(readFileSync(file, 'utf8')) as INodeTypeDescription[];
	const types = { nodes: [...nodes], credentials: [] };
	const names = Object.fromEntries(nodes.map(({ name }) => [name, {}]));
	// n8n generates the nodes for human review when it starts.
	const { createHitlTools } = require('n8n/dist/tool-generation') as ToolGeneration;
	createHitlTools(types, { nodes: names, credentials: {} });
	return types.nodes;
}

const packages = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'].map((name) => ({
	prefix: `${name}.`,
	descriptions: readDescriptions(name),
}));

/** Returns the node with the values that only its user knows. */
function chosen(node: WorkflowNode): WorkflowNode {
	const choices = { channelId: 'C0LINKS', dataTableId: 'a table', workflowId: 'a workflow' };
	const parameters = { ...node.parameters };
	for (const [name, value] of Object.entries(choices)) {
		if (name in parameters) parameters[name] = { __rl: true, mode: 'id', value };
	}
	return { ...node, parameters };
}

test.each(workflowNames)('%s uses nodes, versions and parameters that n8n has', (workflow) => {
	const foreign = readWorkflow(workflow).nodes.filter(
		({ type }) => !type.startsWith('n8n-nodes-backlink-exchange.'),
	);
	expect(foreign.length).toBeGreaterThan(0);
	const problems = foreign.flatMap((node) => {
		const owner = packages.find(({ prefix }) => node.type.startsWith(prefix));
		if (owner === undefined) return [`${node.name}: ${node.type} is not part of n8n`];
		return findProblems(chosen(node), owner.descriptions, owner.prefix);
	});
	expect(problems).toEqual([]);
});
