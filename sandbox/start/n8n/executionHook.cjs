// n8n loads this file into its own process (EXTERNAL_HOOK_FILES) and so tells the playground what happens in it.
// The messages are described in messages.mts. Plain CommonJS, because n8n loads it with require.

const itemsPerNode = 50;

/**
 * A node's run, as n8n keeps it.
 * @typedef {{ data?: { main?: Array<Array<{ json: Record<string, unknown> }> | null> } }} Run
 *
 * What n8n hands over when an execution has finished.
 * @typedef {object} FinishedRun
 * @property {string} mode
 * @property {string} status
 * @property {{ resultData?: ResultData }} [data]
 *
 * @typedef {object} ResultData
 * @property {Record<string, Run[]>} [runData]
 * @property {{ message: string }} [error]
 * @property {string} [lastNodeExecuted]
 */

/** @param {import('./messages.mts').N8nMessage} message */
function send(message) {
	if (process.connected) process.send?.(message);
}

// n8n's command line may load this file as well: without a playground to talk to, it has no `send`.
if (process.send !== undefined) {
	// When the playground is killed, n8n must not go on without it. That may be before n8n comes to load this file.
	const end = () => process.kill(process.pid, 'SIGTERM');
	if (process.connected) process.once('disconnect', end);
	else end();
}

/** Waits until the playground has started the sandbox; only then n8n activates the workflows. */
async function waitForPlayground() {
	if (!process.connected) return;
	const answered = new Promise((resolve) => process.once('message', resolve));
	send({ kind: 'ready' });
	await answered;
}

/** @param {Run[]} runs */
function outputOf(runs) {
	const branches = runs.at(-1)?.data?.main ?? [];
	return branches.flatMap((items) => (items ?? []).map((item) => item.json)).slice(0, itemsPerNode);
}

/**
 * @param {FinishedRun | undefined} run
 * @param {{ id: string, name: string, nodes: { name: string, disabled?: boolean }[] }} workflow
 * @param {string} executionId
 */
function tellExecution(run, workflow, executionId) {
	const result = run?.data?.resultData;
	const nodes = Object.entries(result?.runData ?? {}).map(([name, runs]) => ({
		name,
		isDeactivated: workflow.nodes.some((node) => node.name === name && node.disabled),
		items: outputOf(runs),
	}));
	send({
		kind: 'execution',
		execution: {
			id: executionId,
			workflowId: workflow.id,
			workflowName: workflow.name,
			mode: run?.mode ?? 'unknown',
			status: run?.status ?? 'unknown',
			error: result?.error?.message,
			lastNode: result?.lastNodeExecuted,
			nodes,
		},
	});
}

module.exports = {
	n8n: { ready: [waitForPlayground] },
	worker: { ready: [waitForPlayground] },
	workflow: { postExecute: [tellExecution] },
};
