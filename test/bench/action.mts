/**
 * Benchmarks the action node against n8n's HTTP Request node, and against the minimum time for any
 * client when there are more items than quota.
 *
 * Run `npm run bench:action`, or `npm run bench:action -- throughput|limit|workers` for a part.
 * Prints ratios measured in this run, each with the number of rejected requests. The sandbox runs
 * in a process of its own.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { INodeType } from 'n8n-workflow';

import type { Dialect } from '../../sandbox/dialects.mts';
import { type SandboxOptions, startSandbox } from '../../sandbox/sandbox.mts';
import { installN8n } from '../../sandbox/start/n8n/installation.mts';
import { type NodeRun, runNode } from '../engine/engine.mts';
import { n8nCore, n8nWorkflow } from '../engine/n8n.mts';

/** Of the HTTP Request node. */
const typeVersion = 4.2;
const rounds = 80;
/** Unmeasured rounds before the measured ones. */
const warmUps = 2;
const unlimitedQuota = { perMinute: 1e9, perDay: 1e9, windowMilliseconds: 1e9 };

type Credential = Record<'baseUrl' | 'apiKey', string>;

/** Message of a sandbox in a process of its own. After 'restart' it has a new store. */
type SandboxMessage = Credential & Record<'requests' | 'rejected', number>;
type RequestMessage = (message: 'restart' | 'count') => Promise<SandboxMessage>;

/** Role of this file when it is forked: a sandbox, or a new process that executes a node once. */
type Role = { sandbox: SandboxOptions } | { worker: Credential; items: number };

async function play(role: Role): Promise<void> {
	if ('worker' in role) {
		process.once('message', () => {
			void create(role.worker, role.items).then(({ items }) => process.send?.(items.length));
		});
		process.send?.('ready');
		return;
	}
	let sandbox = await startSandbox(role.sandbox);
	const answer = async (message: unknown) => {
		if (message === 'restart') {
			await sandbox.close();
			sandbox = await startSandbox(role.sandbox);
		}
		const { baseUrl, apiKey, books } = sandbox;
		const requests = books.requests().length;
		const rejected = books.requests({ status: 429 }).length;
		process.send?.({ baseUrl, apiKey, requests, rejected } satisfies SandboxMessage);
	};
	process.on('message', (message) => void answer(message));
	process.send?.('ready');
	process.once('disconnect', () => void sandbox.close());
}

function start(role: Role): ChildProcess {
	return fork(import.meta.filename, [JSON.stringify(role)]);
}

async function received<Message>(child: ChildProcess): Promise<Message> {
	const [message] = (await once(child, 'message')) as [Message];
	return message;
}

async function withSandbox(
	options: SandboxOptions,
	work: (ask: RequestMessage) => Promise<void>,
): Promise<void> {
	const child = start({ sandbox: options });
	try {
		await received(child);
		await work(async (message) => {
			child.send(message);
			return await received<SandboxMessage>(child);
		});
	} finally {
		child.disconnect();
		await once(child, 'exit');
	}
}

const newSites = (count: number) =>
	Array.from({ length: count }, () => ({ url: `https://${crypto.randomUUID()}.example` }));

async function create(credential: Credential, count: number): Promise<NodeRun> {
	return await runNode({
		credential,
		parameters: {
			resource: 'site',
			operation: 'create',
			url: '={{ $json.url }}',
			niche: 'x',
			options: {},
		},
		items: newSites(count),
	});
}

async function httpRequest(
	credential: Credential,
	count: number,
	type: INodeType,
	method: 'GET' | 'POST' = 'POST',
): Promise<NodeRun> {
	return await runNode({
		credential,
		type,
		typeVersion,
		parameters: {
			method,
			url: `${credential.baseUrl}/sites`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'backlinkExchangeApi',
			sendBody: method === 'POST',
			specifyBody: 'json',
			jsonBody: '={{ { "url": $json.url, "niche": "x" } }}',
			options: {},
		},
		items: newSites(count),
	});
}

/**
 * Compares throughput with 200 new sites and enough quota, in interleaved rounds.
 *
 * Both contestants fetch the list of sites before they add any. Each round starts with an empty
 * store, because otherwise the growing list would dominate the measurement. The first rounds warm
 * up the process.
 */
async function compareThroughput(latencyMilliseconds: number): Promise<void> {
	const items = 200;
	const stock = await loadHttpRequest();
	const contestants = {
		'HTTP Request (all at once)': async (credential: Credential) => {
			await httpRequest(credential, 1, stock, 'GET');
			return await httpRequest(credential, items, stock);
		},
		'this node': async (credential: Credential) => await create(credential, items),
	};
	const names = Object.keys(contestants) as Array<keyof typeof contestants>;
	const times = Object.fromEntries(names.map((name) => [name, [] as number[]]));
	await withSandbox({ limits: unlimitedQuota, latencyMilliseconds }, async (ask) => {
		for (let round = 0; round < rounds + warmUps; round++) {
			// Each contestant starts equally often: garbage of the first is collected at the expense of
			// the next.
			for (const name of round % 2 === 0 ? names : names.toReversed()) {
				const sandbox = await ask('restart');
				const startedAt = performance.now();
				const { error, items: output } = await contestants[name](sandbox);
				const elapsed = performance.now() - startedAt;
				if (error || output.length !== items || (await ask('count')).requests !== items + 1) {
					throw new Error(`${name}: ${error?.message ?? 'items are missing'}`);
				}
				if (round >= warmUps) times[name]?.push(elapsed);
			}
		}
	});
	console.log(`\n${items} items, ${latencyMilliseconds} ms of latency, ${rounds} rounds`);
	for (const name of names) console.log(`  ${name}: ${compare(times, name)}`);
}

/** Formats the median, and the median of the ratios to the first contestant within each round. */
function compare(measured: Record<string, number[]>, name: string): string {
	const [baseline = []] = Object.values(measured);
	const own = measured[name] ?? [];
	const ratios = own.map((value, round) => value / (baseline[round] ?? NaN));
	return `${median(own).toFixed(0)} ms, ratio ${median(ratios).toFixed(2)}`;
}

/**
 * Measures the minimum time for any client that obeys the rate limit.
 *
 * It knows the quota, sends as much of it as possible in parallel, and sleeps until the reset in
 * the header, by the clock of the service. Like the node, it fetches the list of sites before it
 * adds any.
 */
async function minTime(
	options: SandboxOptions,
	items: number,
	requestsPerWindow: number,
): Promise<number> {
	let elapsed = 0;
	await withSandbox(options, async (ask) => {
		const { baseUrl, apiKey } = await ask('restart');
		const startedAt = performance.now();
		const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
		const listed = await fetch(`${baseUrl}/sites`, { headers });
		await listed.text();
		const sites = newSites(items);
		while (sites.length > 0) {
			const sent = sites.splice(0, requestsPerWindow).map(async (site) => {
				const answer = await fetch(`${baseUrl}/sites`, {
					method: 'POST',
					headers,
					body: JSON.stringify({ ...site, niche: 'x' }),
				});
				if (!answer.ok) sites.push(site);
				await answer.text();
				const reset = Number(answer.headers.get('x-ratelimit-reset'));
				return reset > 1e11 ? reset : reset * 1000;
			});
			const reset = Math.max(...(await Promise.all(sent)));
			if (sites.length > 0) await sleep(Math.max(reset - Date.now(), 1));
		}
		elapsed = (performance.now() - startedAt) / 1000;
	});
	return elapsed;
}

/** Compares the time for more items than quota with the minimum for any client. */
async function compareLimited(
	seconds: number,
	executions: number,
	itemsEach: number,
	inOneProcess = true,
	rateLimitReset: Dialect['rateLimitReset'] = 'epoch-seconds',
): Promise<void> {
	const perMinute = 60;
	const limits = { perMinute, perDay: 1e9, windowMilliseconds: seconds * 1000 };
	const options = { limits, latencyMilliseconds: 5, dialect: { rateLimitReset } };
	const minimum = await minTime(options, executions * itemsEach, perMinute);
	await withSandbox(options, async (ask) => {
		const credential = await ask('restart');
		const run = inOneProcess
			? async () => (await create(credential, itemsEach)).items.length
			: await inWorkers(credential, executions, itemsEach);
		const startedAt = performance.now();
		const done = await Promise.all(Array.from({ length: executions }, run));
		const elapsed = (performance.now() - startedAt) / 1000;
		const succeeded = done.reduce((sum, items) => sum + items, 0);
		const where = inOneProcess ? 'executions of one process' : 'workers';
		console.log(
			`${executions} ${where}, ${itemsEach} items each, ${perMinute} requests per ${seconds} s, reset in ${rateLimitReset}: ` +
				`${elapsed.toFixed(1)} s, ratio ${(elapsed / minimum).toFixed(2)} to the least time of ${minimum.toFixed(1)} s; ` +
				`${executions * itemsEach - succeeded} items failed; ${describe(await ask('count'))}`,
		);
	});
}

/**
 * Starts independent processes, like the workers of n8n's queue mode. Each call lets one of them
 * begin.
 */
async function inWorkers(
	credential: Credential,
	count: number,
	items: number,
): Promise<() => Promise<number>> {
	const workers = Array.from({ length: count }, () => start({ worker: credential, items }));
	await Promise.all(workers.map(received));
	return async () => {
		const worker = workers.pop();
		if (worker === undefined) throw new Error('no worker is left');
		worker.send('go');
		const done = await received<number>(worker);
		worker.disconnect();
		return done;
	};
}

function describe({ requests, rejected }: SandboxMessage): string {
	return `${rejected} of ${requests} requests rejected (${((100 * rejected) / requests).toFixed(1)} %)`;
}

async function loadHttpRequest(): Promise<INodeType> {
	const folderOfN8n = await installN8n(new AbortController().signal);
	const installed = createRequire(path.join(folderOfN8n, 'package.json'));
	const folder = path.dirname(installed.resolve('n8n-nodes-base/package.json'));
	const loader = new n8nCore.PackageDirectoryLoader(folder);
	loader.loadNodeFromFile('dist/nodes/HttpRequest/HttpRequest.node.js');
	return n8nWorkflow.NodeHelpers.getVersionedNodeType(
		loader.getNode('httpRequest').type,
		typeVersion,
	);
}

function median(values: number[]): number {
	return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

const parts = {
	throughput: async () => {
		for (const latency of [5, 50, 300]) await compareThroughput(latency);
	},
	limit: async () => {
		await compareLimited(15, 1, 300);
		await compareLimited(15, 1, 300, true, 'epoch-milliseconds');
		await compareLimited(15, 4, 75);
	},
	workers: async () => {
		await compareLimited(3, 2, 240, false);
		await compareLimited(15, 2, 150, false);
	},
};

if (process.send) {
	await play(JSON.parse(process.argv[2] ?? '{}') as Role);
} else {
	const message = process.argv[2];
	for (const [name, part] of Object.entries(parts)) {
		if (message === undefined || message === name) await part();
	}
	console.log(`Load of the machine at the end: ${loadavg()[0]?.toFixed(1)}`);
	process.exit();
}
