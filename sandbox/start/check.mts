import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from './n8n/messages.mts';
import { describeExecution } from './narration.mts';
import type { Playground } from './playground.mts';

const deadlineMilliseconds = 120_000;

/** What the check found: one entry for each thing that it checked. */
export interface Finding {
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
): Promise<Finding[]> {
	const runsOf = (id: string): Execution[] =>
		executions.filter(({ workflowId }) => workflowId === id);
	const failed = (): Execution[] => executions.filter(({ status }) => status !== 'success');

	// What a first poll finds is no event.
	const isPolled = () =>
		sandbox.books.requests().some(({ path }) => path.startsWith('/api/exchanges'));
	await until(isPolled, signal);
	const balance = sandbox.books.balance();
	const offer = sandbox.requestOffer();
	const alert = sandbox.alert();
	const accepting = (): Execution[] =>
		runsOf('scheduled-auto-accept').filter((execution) =>
			eventsOf(execution).some(({ id, outcome }) => id === offer.id && outcome === 'accepted'),
		);
	const byWebhook = (): Execution[] =>
		runsOf('events-by-webhook').filter((execution) =>
			eventsOf(execution).some(({ data }) => isAlertFor(alert.exchangeId, data)),
		);
	const byPolling = (): Execution[] =>
		runsOf('exchange-news').filter((execution) =>
			eventsOf(execution).some(({ eventKey }) =>
				String(eventKey).startsWith(`exchange.accepted:${offer.id}`),
			),
		);
	await until(
		() =>
			failed().length > 0 ||
			[accepting(), byWebhook(), byPolling()].every((runs) => runs.length > 0),
		signal,
	);

	const forgedAlert = { exchange_id: offer.id, severity: 'critical', type: 'forged', detail: '' };
	const forged = webhookUrl === undefined ? 0 : await forge(webhookUrl, forgedAlert, signal);
	// One more round: it must leave accepted offers alone, and it gives a forged alert the time to do harm.
	const runs = runsOf('scheduled-auto-accept').length;
	await until(() => failed().length > 0 || runsOf('scheduled-auto-accept').length > runs, signal);

	const { status } = sandbox.books.exchange(offer.id);
	const deductions = sandbox.books.acceptsOf(offer.id);
	const spent = balance - sandbox.books.balance();
	const [delivery] = sandbox.books.deliveries({ event: 'watchdog.alert' });
	return [
		{
			title: `the scheduled workflow accepted the offer ${offer.id}`,
			ok: accepting().length === 1,
			detail: summarize(runsOf('scheduled-auto-accept')),
		},
		{
			title: 'the sandbox has it as accepted',
			ok: status === 'accepted',
			detail: `its status is ${status}`,
		},
		{
			title: `it was paid once: ${offer.cost} credits`,
			ok: deductions === 1 && spent === offer.cost,
			detail: `credits were deducted ${deductions} times, ${spent} in all`,
		},
		{
			title: 'n8n took the signed alert',
			ok: delivery?.state === 'delivered',
			detail: delivery === undefined ? 'there was no delivery' : `it is ${delivery.state}`,
		},
		{
			title: `the delivery of the alert for ${alert.exchangeId} ran its workflow once`,
			ok: byWebhook().length === 1,
			detail: summarize(runsOf('events-by-webhook')),
		},
		{
			title: 'polling found that the offer was accepted, and ran its workflow once',
			ok: byPolling().length === 1,
			detail: summarize(runsOf('exchange-news')),
		},
		{
			title: 'a forged alert was refused',
			ok: forged === 401,
			detail: forged === 0 ? 'there was no address to send it to' : `n8n answered ${forged}`,
		},
		{ title: 'no workflow failed', ok: failed().length === 0, detail: summarize(failed()) },
	];
}

/** Waits until the condition holds; false when it still does not at the deadline. */
async function until(condition: () => boolean, signal: AbortSignal): Promise<boolean> {
	const deadline = Date.now() + deadlineMilliseconds;
	while (!condition()) {
		if (Date.now() > deadline) return false;
		await sleep(100, undefined, { signal });
	}
	return true;
}

/** All items that any node of the execution put out, and those that a digest holds. */
function eventsOf({ nodes }: Execution): Record<string, unknown>[] {
	const items = nodes.flatMap((node) => node.items);
	const held = items.flatMap(
		(item) => (Array.isArray(item.items) ? item.items : []) as typeof items,
	);
	return [...items, ...held];
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

function isAlertFor(exchangeId: string, data: unknown): boolean {
	return (
		typeof data === 'object' &&
		data !== null &&
		'exchange_id' in data &&
		data.exchange_id === exchangeId
	);
}
