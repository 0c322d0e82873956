// n8n loads this file into its process (EXTERNAL_HOOK_FILES). It reports what happens there. The
// messages are described in messages.mts. It is plain CommonJS, because n8n loads it with require.

const itemsPerNode = 50;

/**
 * A node's run, as n8n keeps it.
 * @typedef {{ data?: { main?: Array<Array<{ json: Record<string, unknown> }> | null> } }} Run
 *
 * The data that n8n hands over when an execution has finished.
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

// n8n's command line may load this file as well. Then there is no parent process, and no `send`.
if (process.send !== undefined) {
	// n8n must not continue when its parent process is killed. That may happen before n8n loads this
	// file.
	const end = () => process.kill(process.pid, 'SIGTERM');
	if (process.connected) process.once('disconnect', end);
	else end();
}

/** Waits until the sandbox has been started. Only then n8n activates the workflows. */
async function waitForPlayground() {
	if (!process.connected) return;
	const go = new Promise((resolve) => process.once('message', resolve));
	send({ kind: 'ready' });
	await go;
}

/** @param {Run[]} runs */
function getOutput(runs) {
	const branches = runs.at(-1)?.data?.main ?? [];
	return branches.flatMap((items) => (items ?? []).map((item) => item.json)).slice(0, itemsPerNode);
}

/**
 * @param {FinishedRun | undefined} run
 * @param {{ id: string, name: string }} workflow
 * @param {string} executionId
 */
function reportExecution(run, workflow, executionId) {
	const result = run?.data?.resultData;
	const nodes = Object.entries(result?.runData ?? {}).map(([name, runs]) => ({
		name,
		items: getOutput(runs),
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
	workflow: { postExecute: [reportExecution] },
};
