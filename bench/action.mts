/**
 * The action node against n8n's own HTTP Request node, and against the theoretical minimum when the quota is used up.
 * Run: npm run bench, or npm run bench -- throughput|limit for one half. Prints ratios measured in this run; the sandbox is a process of its own.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { INodeParameters, INodeType } from 'n8n-workflow';

import { installN8n } from '../playground/n8n/installation.mts';
import { type SandboxOptions, startSandbox } from '../sandbox/sandbox.mts';
import { type NodeRun, runNode } from '../test/engine/engine.mts';
import { n8nCore, n8nWorkflow } from '../test/engine/n8n.mts';

/** Of the HTTP Request node. */
const typeVersion = 4.2;

const wideLimits = { perMinute: 1e9, perDay: 1e9 };

async function serve(options: SandboxOptions): Promise<void> {
	const sandbox = await startSandbox(options);
	process.send?.({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
	process.once('disconnect', () => void sandbox.close());
}

interface Credential extends Record<string, string> {
	baseUrl: string;
	apiKey: string;
}

async function withSandbox(
	options: SandboxOptions,
	work: (credential: Credential) => Promise<void>,
): Promise<void> {
	const child = fork(import.meta.filename, [JSON.stringify(options)]);
	try {
		const [credential] = (await once(child, 'message')) as [Credential];
		await work(credential);
	} finally {
		child.disconnect();
		await once(child, 'exit');
	}
}

async function measure(): Promise<void> {
	const half = process.argv[2];
	if (half !== 'limit') {
		await withSandbox({ limits: wideLimits, latencyMilliseconds: 50 }, compareThroughput);
	}
	if (half === 'throughput') return;
	const windowMilliseconds = 15_000;
	const limits = { perMinute: 60, perDay: 1e9, windowMilliseconds };
	await withSandbox({ limits }, (credential) => compareLimited(credential, 1, 300, limits));
	await withSandbox({ limits }, (credential) => compareLimited(credential, 4, 75, limits));
}

let siteNumber = 0;
const newSites = (count: number) =>
	Array.from({ length: count }, () => ({ url: `https://site-${siteNumber++}.example` }));

function create(credential: Credential, count: number, options: INodeParameters): Promise<NodeRun> {
	return runNode({
		credential,
		parameters: {
			resource: 'site',
			operation: 'create',
			url: '={{ $json.url }}',
			niche: 'x',
			options,
		},
		items: newSites(count),
	});
}

function httpRequest(credential: Credential, count: number, type: INodeType): Promise<NodeRun> {
	return runNode({
		credential,
		type,
		typeVersion,
		parameters: {
			method: 'POST',
			url: `${credential.baseUrl}/sites`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'backlinkExchangeApi',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ { "url": $json.url, "niche": "x" } }}',
			options: {},
		},
		items: newSites(count),
	});
}

/** 200 items, 50 ms of latency, quota to spare: medians of interleaved rounds. */
async function compareThroughput(credential: Credential): Promise<void> {
	const items = 200;
	const stock = await loadHttpRequest();
	const contestants = {
		'HTTP Request (all at once)': () => httpRequest(credential, items, stock),
		'this node, default': () => create(credential, items, {}),
		'this node, Max Parallel 100': () => create(credential, items, { maxParallel: 100 }),
	};
	const times = new Map<string, number[]>();
	for (let round = 0; round < 9; round++) {
		for (const [name, run] of Object.entries(contestants)) {
			const begun = performance.now();
			const { error, items: output } = await run();
			if (error || output.length !== items) {
				throw new Error(`${name}: ${error?.message ?? 'items are missing'}`);
			}
			// The first two rounds warm up.
			if (round > 1) times.set(name, [...(times.get(name) ?? []), performance.now() - begun]);
		}
	}
	const [[, baseline = []] = ['', []]] = times;
	console.log(`${items} items, 50 ms of latency, medians of 7 rounds`);
	for (const [name, measured] of times) {
		const ratio = median(measured) / median(baseline);
		console.log(`  ${name}: ${median(measured).toFixed(0)} ms, ratio ${ratio.toFixed(2)}`);
	}
}

/** More items than the quota: time against (windows − 1) × window, the least that any client needs. */
async function compareLimited(
	credential: Credential,
	executions: number,
	itemsEach: number,
	limits: { perMinute: number; windowMilliseconds: number },
): Promise<void> {
	const begun = performance.now();
	const runs = await Promise.all(
		Array.from({ length: executions }, () => create(credential, itemsEach, {})),
	);
	const elapsed = performance.now() - begun;
	const succeeded = runs.reduce((sum, { items }) => sum + items.length, 0);
	const failed = executions * itemsEach - succeeded;
	const windows = Math.ceil((executions * itemsEach) / limits.perMinute);
	const minimum = (windows - 1) * limits.windowMilliseconds;
	console.log(
		`${executions} × ${itemsEach} items, ${limits.perMinute} requests per ${limits.windowMilliseconds / 1000} s: ` +
			`${(elapsed / 1000).toFixed(1)} s, ratio ${(elapsed / minimum).toFixed(2)} to the minimum, ${failed} failed`,
	);
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

if (process.send) await serve(JSON.parse(process.argv[2] ?? '{}') as SandboxOptions);
else await measure();
