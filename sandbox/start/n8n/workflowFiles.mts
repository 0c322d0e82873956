/** The ready-made workflows of this package, as they are in the folder `workflows/`. This is their only reader. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const folder = join(import.meta.dirname, '../../..', 'workflows');

/** A node, as far as it is read here; what else it has stays as it is. */
export interface WorkflowNode {
	id: string;
	name: string;
	/** The package and the node type, such as `n8n-nodes-base.set`. */
	type: string;
	typeVersion: number;
	position: [x: number, y: number];
	parameters: Record<string, unknown>;
	webhookId?: string;
	/** Deactivated: n8n hands its input on. */
	disabled?: boolean;
	/** Shown below the node when `notesInFlow` is set. */
	notes?: string;
	notesInFlow?: boolean;
	credentials?: Record<string, { id: string; name: string }>;
}

/** The connections that leave a node, by their type and by its output. */
type Connections = Record<
	string,
	Array<Array<{ node: string; type: string; index: number }> | null>
>;

/** A workflow in n8n's format. */
export interface WorkflowFile {
	id: string;
	name: string;
	nodes: WorkflowNode[];
	/** The connections of each node, by its name. */
	connections: Record<string, Connections>;
	settings?: Record<string, unknown>;
}

/** The names of all ready-made workflows: those of their files, without the ending. */
export const workflowNames = globSync('*.json', { cwd: folder })
	.map((file) => basename(file, '.json'))
	.sort();

/** Where the file of a ready-made workflow is. */
export function workflowPath(name: string): string {
	return join(folder, `${name}.json`);
}

/** The file of a ready-made workflow, as it is. */
export function readWorkflowText(name: string): string {
	return readFileSync(workflowPath(name), 'utf8');
}

/** A ready-made workflow. Its name in `workflows/` is its id, which the file leaves out. */
export function readWorkflow(name: string): WorkflowFile {
	const workflow = JSON.parse(readWorkflowText(name)) as Omit<WorkflowFile, 'id'>;
	return { ...workflow, id: name };
}
