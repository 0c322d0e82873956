/** Messages of executionHook.cjs, inside n8n, to this process. */
export type N8nMessage = { kind: 'ready' } | { kind: 'execution'; execution: Execution };

export interface Execution {
	id: string;
	workflowId: string;
	workflowName: string;
	/** How it was started, for example `trigger`, `webhook` or `manual`. */
	mode: string;
	/** For example `success`, `error`, `canceled` or `crashed`. */
	status: string;
	/** Message of the error. */
	error?: string;
	/** Name of the node that ran last. */
	lastNode?: string;
	/** Items of each node's last run, at most 50, in the order in which the nodes ran. */
	nodes: { name: string; items: Record<string, unknown>[] }[];
}
