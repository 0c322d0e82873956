/**
 * How many requests a day takes, counted in the sandbox's books: each operation, each ready-made workflow alone, and all of
 * them published in a real n8n, for ten minutes. Run: npm run bench -- day [--minutes 10] [--queue]. With --queue, that n8n
 * is in queue mode, with two workers, Redis and PostgreSQL. Counts, no figures of a machine.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import type { INodeParameters } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import {
	readWorkflow,
	workflowNames,
	type WorkflowNode,
} from '../../sandbox/start/n8n/workflowFiles.mts';
import { onRequest } from '../e2e/nodes.mts';
import { startQueueServices } from '../e2e/queueServices.mts';
import { preparePublishing } from '../e2e/workflows/publishing.mts';
import { startWorld } from '../e2e/workflows/world.mts';
import { VirtualClock } from '../engine/clock.mts';
import { runNode } from '../engine/engine.mts';
import { Poller, pollingType } from '../engine/polling/poller.mts';

const { values } = parseArgs({
	options: {
		minutes: { type: 'string', default: '10' },
		queue: { type: 'boolean', default: false },
	},
});
const minutes = Number(values.minutes);

const minute = 60_000;
const minutesOfDay = 24 * 60;
const actionType = pollingType.replace('Trigger', '');
const scheduleType = 'n8n-nodes-base.scheduleTrigger';

/** An account with an offer to accept, and quota to spare. */
async function openAccount(): Promise<Sandbox> {
	const sandbox = await startSandbox({ credits: 1000, limits: { perMinute: 1e6, perDay: 1e6 } });
	for (const id of ['exc_1', 'exc_2']) sandbox.requestOffer({ id });
	sandbox.accept('exc_2');
	sandbox.publish('exc_2');
	return sandbox;
}

/** How many requests something sends, in an account of its own. */
async function requestsOf(act: (sandbox: Sandbox) => Promise<unknown>): Promise<number> {
	const sandbox = await openAccount();
	await act(sandbox);
	const count = sandbox.books.requests().length;
	await sandbox.close();
	return count;
}

async function execute(parameters: INodeParameters): Promise<number> {
	return await requestsOf(async ({ baseUrl, apiKey }) => {
		const { error } = await runNode({ parameters, credential: { baseUrl, apiKey } });
		if (error !== undefined) throw error;
	});
}

const exchangeId = { __rl: true, mode: 'id', value: 'exc_1' };
const operations: Array<[what: string, resource: string, operation: string, more?: object]> = [
	['Account: Get Summary', 'account', 'getSummary'],
	['Credit: Get Balance', 'credit', 'getBalance'],
	['Credit: Get Ledger', 'credit', 'getLedger'],
	['Exchange: Accept', 'exchange', 'accept', { exchangeId }],
	[
		'Exchange: Accept, Minimum Balance',
		'exchange',
		'accept',
		{ exchangeId, options: { minimumBalance: 1 } },
	],
	['Exchange: Accept Many, dry run', 'exchange', 'acceptMany', { dryRun: true }],
	['Exchange: Accept Many, one accepted', 'exchange', 'acceptMany', { dryRun: false }],
	['Exchange: Get', 'exchange', 'get', { exchangeId }],
	['Exchange: Get Many', 'exchange', 'getAll', { status: 'all', returnAll: true }],
	['Site: Create', 'site', 'create', { url: 'https://new.example', niche: 'tea' }],
	['Site: Get Many', 'site', 'getAll', { returnAll: true }],
	['Watchdog Event: Get Many', 'watchdogEvent', 'getAll', { returnAll: true }],
];

/** How often a trigger fires by itself in a day. */
function timesADay({ parameters }: WorkflowNode): number {
	const { pollTimes, rule } = parameters as {
		pollTimes?: { item: Array<{ mode: string }> };
		rule?: { interval: Array<Record<string, number | string>> };
	};
	const perDay: Record<string, number> = {
		...{ everyMinute: minutesOfDay, everyHour: 24, everyDay: 1, everyWeek: 1 / 7 },
		...{ minutes: minutesOfDay, hours: 24, days: 1, weeks: 1 / 7 },
	};
	const modes: Array<[mode: string, every: number]> = [];
	for (const { mode } of pollTimes?.item ?? []) modes.push([mode, 1]);
	for (const interval of rule?.interval ?? []) {
		const field = String(interval.field);
		modes.push([field, Number(interval[`${field}Interval`] ?? 1)]);
	}
	return modes.reduce((sum, [mode, every]) => {
		const times = perDay[mode];
		if (times === undefined) throw new Error(`How often is "${mode}"?`);
		return sum + times / every;
	}, 0);
}

/** What the polling trigger alone asks in a day in which nothing happens. */
async function pollsOfDay(node: WorkflowNode, clock: VirtualClock): Promise<number> {
	const hours = 4;
	const perDay = timesADay(node);
	const polls = perDay === minutesOfDay ? hours * 60 : 1;
	const sandbox = await openAccount();
	const { baseUrl, apiKey } = sandbox;
	const poller = new Poller({ baseUrl, apiKey }, node.parameters as INodeParameters);
	await poller.start();
	const before = sandbox.books.requests().length;
	for (let poll = 0; poll < polls; poll++) {
		await clock.wait(minute);
		await poller.poll();
	}
	const count = sandbox.books.requests().length - before;
	await sandbox.close();
	return (count * perDay) / polls;
}

/** What the nodes that a schedule starts ask in a day. */
async function schedulesOfDay(nodes: WorkflowNode[]): Promise<number> {
	const schedules = nodes.filter(({ type }) => type === scheduleType);
	const times = schedules.reduce((sum, node) => sum + timesADay(node), 0);
	if (times === 0) return 0;
	const actions = nodes.filter(({ type }) => type === actionType);
	let each = 0;
	for (const { parameters } of actions) each += await execute(parameters as INodeParameters);
	return times * each;
}

function row(...cells: [string, number]): void {
	console.log(`| ${cells[0].padEnd(36)} | ${String(Math.ceil(cells[1])).padStart(8)} |`);
}

console.log('| operation, one page for each list    | requests |');
for (const [what, resource, operation, more] of operations) {
	const acceptAll = operation === 'acceptMany' && { acceptFrom: 'anyone', options: {} };
	row(what, await execute({ resource, operation, ...acceptAll, ...more }));
}

console.log('\n| workflow alone, nothing happens      | requests a day |');
/** Of what happens too seldom to be seen in ten minutes. */
let seldom = 0;
const clock = new VirtualClock(Date.now());
for (const name of workflowNames) {
	const nodes = readWorkflow(name).nodes.filter(({ disabled }) => disabled !== true);
	const bySchedule = await schedulesOfDay(nodes);
	seldom += bySchedule;
	let byPolls = 0;
	clock.install();
	for (const node of nodes.filter(({ type }) => type === pollingType)) {
		const count = await pollsOfDay(node, clock);
		byPolls += count;
		if (count < minutesOfDay) seldom += count;
	}
	clock.uninstall();
	row(name, byPolls + bySchedule);
}

const services = values.queue ? await startQueueServices() : undefined;
const world = await startWorld({ credits: 1000, limits: {} }, services?.environment);

/** Two executions at once, which in queue mode are in two workers. */
async function requestsOfTwo(
	id: string,
	parameters: Record<string, unknown>,
	items: () => object[],
): Promise<number> {
	const workflow = await world.editor.create(onRequest(id, parameters));
	await workflow.publish();
	const bodies = [items(), items()].map((each) => JSON.stringify(each));
	const before = world.sandbox.books.requests().length;
	const headers = { 'content-type': 'application/json' };
	const url = `${world.n8n.origin}/webhook/${id}`;
	const begin = async (body: string) => {
		// n8n says that a workflow is published a moment before its webhook is there.
		while (!(await fetch(url, { method: 'POST', headers, body })).ok) await sleep(100);
	};
	await Promise.all(bodies.map(begin));
	// In queue mode, the worker and the main process both report an execution.
	while (new Set(workflow.executions().map((each) => each.id)).size < 2) await sleep(100);
	await workflow.unpublish();
	return world.sandbox.books.requests().length - before;
}

try {
	// A worker takes one execution at a time, so two at once are in two processes.
	for (let worker = 0; services && worker < 2; worker++) {
		await world.n8n.startAnother(['worker', '--concurrency=1']);
	}
	const accept = {
		...{ resource: 'exchange', operation: 'accept', options: {} },
		exchangeId: { ...exchangeId, value: '={{ $json.id }}' },
	};
	const twenty = () => Array.from({ length: 20 }, () => ({ id: world.sandbox.requestOffer().id }));
	console.log(`\nTwo executions at once, in ${services ? 'two workers' : 'one process'}:`);
	row('Accept, twenty offers each', await requestsOfTwo('accept', accept, twenty));
	const summary = { resource: 'account', operation: 'getSummary' };
	row('Get Summary', await requestsOfTwo('summary', summary, () => [{}]));

	const importFilledIn = await preparePublishing(world.editor);
	for (const name of workflowNames) await (await importFilledIn(name)).publish();
	// Until all of them have polled, and no schedule falls into these minutes.
	const untilTheHour = 60 - new Date().getMinutes();
	await sleep((untilTheHour <= minutes + 2 ? untilTheHour + 1 : 1.5) * minute);
	const before = world.sandbox.books.requests().length;
	await sleep(minutes * minute);
	const requests = world.sandbox.books
		.requests()
		.slice(before)
		.filter(({ path }) => path !== '/api/credits/balance');
	const mode = services ? ' in queue mode' : '';
	console.log(`\nAll of them published in a real n8n${mode} ${minutes} minutes, nothing happens:`);
	for (const path of new Set(requests.map((each) => each.path))) {
		row(path, requests.filter((each) => each.path === path).length);
	}
	const refused = requests.filter(({ status }) => status === 429).length;
	console.log(`${refused} were refused by the limits of Pro.`);
	console.log(`Schedules, and the balance each quarter of an hour: ${Math.ceil(seldom)} a day.`);
	const total = Math.ceil((requests.length * minutesOfDay) / minutes + seldom);
	console.log(`all ready-made workflows: ${total} requests a day (of 10,000)`);
} finally {
	await world.close();
	await services?.close();
}
