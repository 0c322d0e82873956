/** Reads the ready-made workflows from the folder `workflows/`. Nothing else does. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = join(import.meta.dirname, '../../..', 'workflows');

/** The fields of a node that are used here. Others are kept unchanged. */
export interface WorkflowNode {
	id: string;
	name: string;
	/** Package and node type, such as `n8n-nodes-base.set`. */
	type: string;
	typeVersion: number;
	position: [x: number, y: number];
	parameters: Record<string, unknown>;
	webhookId?: string;
	/** Whether the node is deactivated, so that n8n passes on its input. */
	disabled?: boolean;
	/** Shown below the node if `notesInFlow` is set. */
	notes?: string;
	notesInFlow?: boolean;
	credentials?: Record<string, { id: string; name: string }>;
}

/** Outgoing connections of a node, by type and output. */
type Connections = Record<
	string,
	Array<Array<{ node: string; type: string; index: number }> | null>
>;

/** A workflow in n8n's format. */
export interface WorkflowFile {
	id: string;
	name: string;
	nodes: WorkflowNode[];
	/** Outgoing connections, by the node's name. */
	connections: Record<string, Connections>;
	settings?: Record<string, unknown>;
}

/** Names of all ready-made workflows: their file names without the extension. */
export const workflowNames = globSync('*.json', { cwd: folder })
	.map((file) => basename(file, '.json'))
	.sort();

/** Returns the path of a ready-made workflow. */
export function workflowPath(name: string): string {
	return join(folder, `${name}.json`);
}

/** Returns the text of a ready-made workflow's file. */
export function readWorkflowText(name: string): string {
	return readFileSync(workflowPath(name), 'utf8');
}

/** Reads a ready-made workflow. Its ID is its file name, because the file has none. */
export function readWorkflow(name: string): WorkflowFile {
	const workflow = JSON.parse(readWorkflowText(name)) as Omit<WorkflowFile, 'id'>;
	return { ...workflow, id: name };
}
