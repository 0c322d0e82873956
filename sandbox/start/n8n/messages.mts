/** What executionHook.cjs, inside n8n, sends the playground. */
export type N8nMessage = { kind: 'ready' } | { kind: 'execution'; execution: Execution };

/** A finished execution of a workflow. */
export interface Execution {
	id: string;
	workflowId: string;
	workflowName: string;
	/** How it was started: `trigger`, `webhook`, `manual`, … */
	mode: string;
	/** `success`, `error`, `canceled`, `crashed`, … */
	status: string;
	/** Why it failed. */
	error?: string;
	/** The node that ran last. */
	lastNode?: string;
	/** The items that each node put out last, at most 50; what is deactivated hands on what came in. */
	nodes: { name: string; isDeactivated: boolean; items: Record<string, unknown>[] }[];
}
