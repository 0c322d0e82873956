import { setTimeout as sleep } from 'node:timers/promises';

import { describeExecution } from './consoleOutput.mts';
import type { Execution } from './n8n/messages.mts';
import { liveWorkflow } from './n8n/preparedWorkflows.mts';
import type { Playground } from './playground.mts';

const deadlineMilliseconds = 120_000;

/** Result of one check. */
export interface CheckResult {
	title: string;
	ok: boolean;
	/** The value that was found instead. */
	detail: string;
}

/**
 * Creates an offer and an alert, and checks in the sandbox's store and n8n's executions that the
 * workflows handled them.
 *
 * @param executions finished executions of n8n; it grows during the check
 */
export async function check(
	{ sandbox, webhookUrl }: Playground,
	executions: readonly Execution[],
	signal: AbortSignal,
): Promise<CheckResult[]> {
	const { books } = sandbox;
	const getRuns = (id: string) => executions.filter(({ workflowId }) => workflowId === id);
	const getFailed = () => executions.filter(({ status }) => status !== 'success');

	// Wait for the first poll, which emits no events.
	await until(() => books.requests().some(({ path }) => path.startsWith('/api/exchanges')), signal);
	const balance = books.balance();
	const offer = sandbox.requestOffer();
	const alert = sandbox.alert();
	/** Returns the executions of a workflow that have a matching item. */
	const getRunsWith = (id: string, matches: (item: Record<string, unknown>) => boolean) =>
		getRuns(id).filter((execution) => getItems(execution).some(matches));
	const getAccepting = () =>
		getRunsWith(
			liveWorkflow,
			(item) => item.exchangeId === offer.id && item.outcome === 'accepted',
		);
	const getWebhookRuns = () =>
		getRunsWith(
			'events-by-webhook',
			({ event, exchangeId }) => event === 'watchdog.alert' && exchangeId === alert.exchangeId,
		);
	const getPollingRuns = () =>
		getRunsWith('news', ({ eventKey }) =>
			String(eventKey).startsWith(`exchange.accepted:${offer.id}`),
		);
	const hasRun = () =>
		[getAccepting(), getWebhookRuns(), getPollingRuns()].every((runs) => runs.length > 0);
	await until(() => getFailed().length > 0 || hasRun(), signal);

	const forgedAlert = { exchange_id: offer.id, severity: 'critical', type: 'forged', detail: '' };
	const forged = webhookUrl === undefined ? 0 : await forge(webhookUrl, forgedAlert, signal);
	// Wait for another scheduled execution. It must leave accepted offers alone, and it gives a
	// forged alert time to do harm.
	const runsBefore = getRuns(liveWorkflow).length;
	await until(() => getFailed().length > 0 || getRuns(liveWorkflow).length > runsBefore, signal);

	const { status } = books.exchange(offer.id);
	const deductions = books.acceptCount(offer.id);
	const spent = balance - books.balance();
	const [delivery] = books.deliveries({ event: 'watchdog.alert' });
	const createResult = (title: string, ok: boolean, detail: string): CheckResult => ({
		title,
		ok,
		detail,
	});
	return [
		createResult(
			`the scheduled workflow accepted the offer ${offer.id}`,
			getAccepting().length === 1,
			summarize(getRuns(liveWorkflow)),
		),
		createResult(
			'the offer is accepted in the sandbox',
			status === 'accepted',
			`its status is ${status}`,
		),
		createResult(
			`accepting it cost ${offer.cost} credits, only once`,
			deductions === 1 && spent === offer.cost,
			`credits were deducted ${deductions} times, ${spent} in total`,
		),
		createResult(
			'n8n accepted the signed alert',
			delivery?.state === 'delivered',
			`the delivery is ${delivery?.state ?? 'missing'}`,
		),
		createResult(
			`the alert about ${alert.exchangeId} started its workflow only once`,
			getWebhookRuns().length === 1,
			summarize(getRuns('events-by-webhook')),
		),
		createResult(
			'the polling trigger found the accepted offer, and started its workflow only once',
			getPollingRuns().length === 1,
			summarize(getRuns('news')),
		),
		createResult(
			'n8n rejected a forged alert',
			forged === 401,
			forged === 0 ? 'there was no URL to send it to' : `n8n responded with ${forged}`,
		),
		createResult('no workflow failed', getFailed().length === 0, summarize(getFailed())),
	];
}

/** Waits for a condition, or until the deadline. */
async function until(condition: () => boolean, signal: AbortSignal): Promise<void> {
	const deadline = Date.now() + deadlineMilliseconds;
	while (!condition() && Date.now() <= deadline) await sleep(100, undefined, { signal });
}

/** Returns the items of all nodes, and those inside digests. */
function getItems({ nodes }: Execution): Record<string, unknown>[] {
	const items = nodes.flatMap((node) => node.items);
	const digestItems = items.flatMap(
		(item) => (Array.isArray(item.items) ? item.items : []) as typeof items,
	);
	return [...items, ...digestItems];
}

/**
 * Posts a body with an invalid signature.
 *
 * @returns the status of the response
 */
async function forge(url: string, body: object, signal: AbortSignal): Promise<number> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', 'x-pb-signature': '0'.repeat(64) },
		body: JSON.stringify(body),
		signal,
	});
	await response.body?.cancel();
	return response.status;
}

function summarize(executions: Execution[]): string {
	const last = executions.at(-1);
	if (last === undefined) return "it didn't run";
	return `${executions.length} executions, the last one: ${describeExecution(last)}`;
}
