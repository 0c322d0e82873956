/** Runs the code of a node of a ready-made workflow as n8n does, without n8n. */
import { compileFunction } from 'node:vm';

import { readWorkflow } from '../../playground/n8n/workflowFiles.mts';

type Json = Record<string, unknown>;

export interface Surroundings {
	input: Json[];
	/** What other nodes have put out, by their names: one list for each output. */
	outputs?: Record<string, Json[][]>;
	/** The node that the input comes from. */
	from?: string;
}

/** What the node puts out; throws what it throws. */
export function runCode(
	workflow: string,
	node: string,
	{ input, outputs = {}, from = '' }: Surroundings,
): Json[] {
	const lookAt = (items: Json[][]) => ({
		all: (output = 0) => (items[output] ?? []).map((json) => ({ json })),
		first: () => ({ json: items[0]?.[0] ?? {} }),
		isExecuted: items.length > 0,
	});
	const scope = {
		$input: lookAt([input]),
		$: (name: string) => lookAt(outputs[name] ?? []),
		$prevNode: { name: from },
		$execution: { id: '7' },
		$workflow: { id: 'workflow', name: 'A workflow' },
	};
	return codeOf(
		workflow,
		node,
		Object.keys(scope),
	)(...Object.values(scope)).map(({ json }) => json);
}

type Code = (...values: unknown[]) => Array<{ json: Json }>;

const compiled = new Map<string, Code>();

function codeOf(workflow: string, node: string, names: string[]): Code {
	const key = `${workflow} ${node}`;
	const known = compiled.get(key);
	if (known !== undefined) return known;
	const found = readWorkflow(workflow).nodes.find(({ name }) => name === node);
	if (found === undefined) throw new Error(`${workflow} has no node "${node}"`);
	const code = compileFunction(String(found.parameters.jsCode), names) as Code;
	compiled.set(key, code);
	return code;
}
