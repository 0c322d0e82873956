import { setTimeout as sleep } from 'node:timers/promises';

import { describeExecution } from './consoleOutput.mts';
import type { Execution } from './n8n/messages.mts';
import type { Playground } from './playground.mts';

const deadlineMilliseconds = 120_000;

/** What the check found: one entry for each thing that it checked. */
export interface CheckResult {
	title: string;
	ok: boolean;
	/** What was there instead. */
	detail: string;
}

/**
 * Makes an offer and an alert happen in the sandbox and checks, by the sandbox's books and n8n's executions, that the
 * workflows did what they are for.
 *
 * @param executions n8n's finished executions; it grows while this runs
 */
export async function check(
	{ sandbox, webhookUrl }: Playground,
	executions: readonly Execution[],
	signal: AbortSignal,
): Promise<CheckResult[]> {
	const { books } = sandbox;
	const getRuns = (id: string) => executions.filter(({ workflowId }) => workflowId === id);
	const failed = () => executions.filter(({ status }) => status !== 'success');

	// What a first poll finds is no event.
	await until(() => books.requests().some(({ path }) => path.startsWith('/api/exchanges')), signal);
	const balance = books.balance();
	const offer = sandbox.requestOffer();
	const alert = sandbox.alert();
	/** The runs of a workflow in which this came out. */
	const runsWith = (id: string, isIt: (item: Record<string, unknown>) => boolean) =>
		getRuns(id).filter((execution) => getItems(execution).some(isIt));
	const accepting = () =>
		runsWith(
			'scheduled-auto-accept',
			(item) => item.id === offer.id && item.outcome === 'accepted',
		);
	const byWebhook = () =>
		runsWith('events-by-webhook', ({ data }) => exchangeIn(data) === alert.exchangeId);
	const byPolling = () =>
		runsWith('exchange-news', ({ eventKey }) =>
			String(eventKey).startsWith(`exchange.accepted:${offer.id}`),
		);
	const haveRun = () => [accepting(), byWebhook(), byPolling()].every((runs) => runs.length > 0);
	await until(() => failed().length > 0 || haveRun(), signal);

	const forgedAlert = { exchange_id: offer.id, severity: 'critical', type: 'forged', detail: '' };
	const forged = webhookUrl === undefined ? 0 : await forge(webhookUrl, forgedAlert, signal);
	// One more round: it must leave accepted offers alone, and it gives a forged alert the time to do harm.
	const rounds = getRuns('scheduled-auto-accept').length;
	await until(
		() => failed().length > 0 || getRuns('scheduled-auto-accept').length > rounds,
		signal,
	);

	const { status } = books.exchange(offer.id);
	const deductions = books.acceptCount(offer.id);
	const spent = balance - books.balance();
	const [delivery] = books.deliveries({ event: 'watchdog.alert' });
	const found = (title: string, ok: boolean, detail: string): CheckResult => ({
		title,
		ok,
		detail,
	});
	return [
		found(
			`the scheduled workflow accepted the offer ${offer.id}`,
			accepting().length === 1,
			summarize(getRuns('scheduled-auto-accept')),
		),
		found('the sandbox has it as accepted', status === 'accepted', `its status is ${status}`),
		found(
			`it was paid once: ${offer.cost} credits`,
			deductions === 1 && spent === offer.cost,
			`credits were deducted ${deductions} times, ${spent} in all`,
		),
		found(
			'n8n took the signed alert',
			delivery?.state === 'delivered',
			`the delivery is ${delivery?.state ?? 'missing'}`,
		),
		found(
			`the delivery of the alert for ${alert.exchangeId} ran its workflow once`,
			byWebhook().length === 1,
			summarize(getRuns('events-by-webhook')),
		),
		found(
			'polling found that the offer was accepted, and ran its workflow once',
			byPolling().length === 1,
			summarize(getRuns('exchange-news')),
		),
		found(
			'a forged alert was refused',
			forged === 401,
			forged === 0 ? 'there was no address to send it to' : `n8n answered ${forged}`,
		),
		found('no workflow failed', failed().length === 0, summarize(failed())),
	];
}

/** Waits until the condition holds, or the deadline has come. */
async function until(condition: () => boolean, signal: AbortSignal): Promise<void> {
	const deadline = Date.now() + deadlineMilliseconds;
	while (!condition() && Date.now() <= deadline) await sleep(100, undefined, { signal });
}

/** All items that any node of the execution put out, and those that a digest holds. */
function getItems({ nodes }: Execution): Record<string, unknown>[] {
	const items = nodes.flatMap((node) => node.items);
	const held = items.flatMap(
		(item) => (Array.isArray(item.items) ? item.items : []) as typeof items,
	);
	return [...items, ...held];
}

/** The exchange that the data of an alert is about. */
function exchangeIn(data: unknown): unknown {
	return (data as { exchange_id?: unknown } | null | undefined)?.exchange_id;
}

/** Posts something under a signature that is not the sandbox's, and returns the status of the answer. */
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
	if (last === undefined) return 'it did not run';
	return `${executions.length} runs, the last one: ${describeExecution(last)}`;
}
