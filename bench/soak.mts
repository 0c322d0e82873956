/**
 * Hours of mixed load with faults in a real n8n: does anything stay behind, and what fails? Beside it a second n8n does the same work with
 * n8n's own nodes. npm run bench -- soak --minutes 60. It measures no speed, and takes a part of a core.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { packPackage } from '../playground/n8n/packedPackage.mts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.mts';
import { RealN8n } from '../test/e2e/realN8n.mts';
import { Editor } from '../test/e2e/workflows/editor.mts';
import { perHour, readOutcomes, type Sample, thirds } from './soak/figures.mts';
import { type Answers, applyLoad, perMinute, secret } from './soak/load.mts';
import { needsCredential, ourWorkflows, stockWorkflows } from './soak/workflows.mts';

const { values } = parseArgs({
	options: {
		minutes: { type: 'string', default: '60' },
		/** Of an hour it is 15 minutes: until then n8n still loads code and fills its caches. */
		'warm-up': { type: 'string' },
		/** A release's file; by default the sources are packed. */
		package: { type: 'string' },
	},
});
const minutes = Number(values.minutes);
const warmUpSeconds = Number(values['warm-up'] ?? minutes / 4) * 60;
const secondsPerSample = Math.min(60, minutes * 3);
const megabyte = 2 ** 20;

/** Ends the load; what was measured until then is reported. */
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(name, () => {
		stopping.abort();
	});
}

interface Contestant {
	name: string;
	n8n: RealN8n;
	sandbox: Sandbox;
	samplesFile: string;
}

/** Unpacks the package where n8n keeps those of the community, as n8n itself does. */
function unpack(tarball: string, userFolder: string): void {
	const folder = join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-backlink-exchange');
	mkdirSync(folder, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}

async function prepare(name: 'this package' | 'stock nodes', folder: string): Promise<Contestant> {
	const sandbox = await startSandbox({
		credits: 100_000,
		limits: { perMinute, perDay: 1e9 },
	});
	for (let site = 0; site < 20; site++) {
		sandbox.addSite({ url: `https://site-${site}.example`, niche: 'cars' });
	}
	const samplesFile = join(folder, `${name.replace(' ', '-')}.jsonl`);
	const hooks = join(import.meta.dirname, '../playground/n8n/executionHook.cjs');
	const n8n = await RealN8n.prepareEmpty({
		EXTERNAL_HOOK_FILES: `${hooks}:${join(import.meta.dirname, 'soak/measureHook.cjs')}`,
		SOAK_SAMPLES: samplesFile,
		SOAK_SECONDS_PER_SAMPLE: String(secondsPerSample),
		// They are counted at the end.
		EXECUTIONS_DATA_PRUNE: 'false',
	});
	if (name === 'this package') {
		const tarball = values.package ?? (await packPackage(join(folder, 'package'), stopping.signal));
		unpack(tarball, n8n.userFolder);
	}
	return { name, n8n, sandbox, samplesFile };
}

/** On a busy machine the first start, with a new database, may take more than one attempt. */
async function startPatiently(n8n: RealN8n): Promise<void> {
	for (let attempt = 1; attempt < 5; attempt++) {
		try {
			await n8n.start();
			return;
		} catch {
			stopping.signal.throwIfAborted();
		}
	}
	await n8n.start();
}

/** Starts n8n with its workflows in it, published, and returns where deliveries go. */
async function start({ name, n8n, sandbox }: Contestant): Promise<string> {
	await startPatiently(n8n);
	// Over n8n's own REST API: each of its commands would be another start.
	const editor = await Editor.open(n8n);
	const { baseUrl, apiKey } = sandbox;
	const isOurs = name === 'this package';
	const credentialType = isOurs ? 'backlinkExchangeApi' : 'httpHeaderAuth';
	await editor.addCredential(
		credentialType,
		isOurs
			? { baseUrl, apiKey, webhookSecret: secret }
			: { name: 'Authorization', value: `Bearer ${apiKey}` },
	);
	const credentials = { [credentialType]: editor.credential(credentialType) };
	let url = `${n8n.origin}/webhook/receive`;
	for (const workflow of isOurs ? ourWorkflows() : stockWorkflows(baseUrl, secret)) {
		const nodes = workflow.nodes.map((node) => ({
			webhookId: crypto.randomUUID(),
			...node,
			...(needsCredential(node) && { credentials }),
		}));
		const created = await editor.create({ ...workflow, nodes });
		await created.publish();
		if (isOurs && workflow.id === 'receive') url = await n8n.webhookUrl(created.id);
	}
	sandbox.setWebhook({ url, secret });
	return url;
}

function readSamples({ samplesFile }: Contestant): Sample[] {
	if (!existsSync(samplesFile)) return [];
	const lines = readFileSync(samplesFile, 'utf8').trimEnd().split('\n');
	return lines.map((line) => JSON.parse(line) as Sample);
}

function row(...cells: Array<string | number>): string {
	return `| ${cells.join(' | ')} |`;
}

/** Markdown, as it stands in docs/development/benchmarks.md. */
function report(contestants: Contestant[], answers: Answers[]): string {
	const lines = [
		row(
			'after garbage collection',
			...contestants.flatMap(({ name }) => [`${name}: first third`, 'last third', 'per hour']),
		),
		row('---', ...contestants.flatMap(() => ['---:', '---:', '---:'])),
	];
	const figures: Array<[string, (sample: Sample) => number, number]> = [
		['heap (MB)', ({ heapUsed }) => heapUsed / megabyte, 1],
		['outside the heap (MB)', ({ external }) => external / megabyte, 1],
		['resident set (MB)', ({ rss }) => rss / megabyte, 0],
		['file descriptors', ({ descriptors }) => descriptors, 1],
		['sockets', ({ resources }) => sumOf(resources, /TCP|Pipe|TLS/), 1],
		['event loop late by (ms, 99 % of the time less)', ({ loopDelay }) => loopDelay, 0],
		['timers', ({ resources }) => sumOf(resources, /Timeout|Immediate/), 1],
	];
	const samples = contestants.map(readSamples);
	for (const [title, figure, digits] of figures) {
		const cells = samples.flatMap((each) => {
			const { first, last } = thirds(each, figure, warmUpSeconds);
			return [first, last, perHour(each, figure, warmUpSeconds)].map((value) =>
				value.toFixed(digits),
			);
		});
		lines.push(row(title, ...cells));
	}
	lines.push('');
	for (const [index, { name, n8n, sandbox }] of contestants.entries()) {
		const last = samples[index]?.at(-1);
		const cpu = last === undefined ? NaN : (last.cpuSeconds / last.seconds) * 100;
		const { outcomes, failures } = readOutcomes(n8n, sandbox);
		const { books } = sandbox;
		const exchanges = books.exchanges();
		const requests = books.requests();
		lines.push(
			`${name}: ${cpu.toFixed(0)} % of a core; ${requests.length} requests, ${requests.filter(({ fault }) => fault !== undefined).length} with a fault, ${requests.filter(({ status }) => status === 429).length} refused by the limit; deliveries answered ${JSON.stringify(answers[index])}.`,
			`${exchanges.length} offers, ${books.exchanges('pending').length} of them still pending, ${exchanges.filter(({ id }) => books.acceptsOf(id) > 1).length} paid more than once.`,
			'',
			row('workflow', 'succeeded', 'failed by a fault', 'failed otherwise', 'unfinished'),
			row('---', '---:', '---:', '---:', '---:'),
			...outcomes.map((outcome) =>
				row(
					outcome.workflow,
					outcome.succeeded,
					outcome.failedByFault,
					outcome.failedOtherwise,
					outcome.unfinished,
				),
			),
			'',
			...failures.map(
				(failure) =>
					`- ${failure.workflow}: ${failure.message} (${failure.expected} by a fault, ${failure.unexpected} otherwise${failure.unexpected > 0 ? `, ${failure.secondsSinceFault.join(', ')} s after the last fault` : ''})`,
			),
			'',
		);
	}
	return lines.join('\n');
}

function sumOf(resources: Record<string, number>, names: RegExp): number {
	const counts = Object.entries(resources).filter(([name]) => names.test(name));
	return counts.reduce((sum, [, count]) => sum + count, 0);
}

const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-soak-'));
const contestants: Contestant[] = [];
try {
	contestants.push(await prepare('this package', folder));
	contestants.push(await prepare('stock nodes', folder));
	stopping.signal.throwIfAborted();
	const urls = await Promise.all(contestants.map(start));
	stopping.signal.throwIfAborted();
	console.log(`${minutes} minutes from ${new Date().toISOString()}; samples in ${folder}`);
	const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(minutes * 60_000)]);
	const answers = await Promise.all(
		contestants.map(({ n8n, sandbox }, index) => {
			// Nobody reads these here, and they would fill this process's memory.
			const forget = setInterval(() => n8n.executions.splice(0), 1000);
			signal.addEventListener('abort', () => {
				clearInterval(forget);
			});
			return applyLoad(sandbox, urls[index] ?? '', signal);
		}),
	);
	// What waits for the limit comes to its end.
	if (!stopping.signal.aborted) await sleep(Math.min(75, minutes * 20) * 1000);
	const text = report(contestants, answers);
	console.log(text);
	appendFileSync(join(folder, 'report.md'), text);
} finally {
	for (const { n8n, sandbox } of contestants) {
		await n8n.remove();
		await sandbox.close();
	}
}
