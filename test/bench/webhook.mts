/**
 * Benchmarks deliveries per second in a real n8n: this trigger, with and without Look Up Exchange,
 * the built-in chain Webhook → Crypto → If, and only a Webhook node that verifies nothing.
 *
 * All of them in one run, in turns: `npm run bench:webhook -- [seconds per measurement] [rounds]
 * [n8n's settings, such as N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true]`
 */
import '../../scripts/endWithNpm.mts';

import { createHmac } from 'node:crypto';

import { Agent, request } from 'undici';

import { startSandbox } from '../../sandbox/sandbox.mts';
import { triggerWorkflow } from '../e2e/nodes.mts';
import { RealN8n } from '../e2e/realN8n.mts';
import { bareWebhook, stockVerification } from './stockVerification.mts';

const seconds = Number(process.argv[2] ?? 8);
const rounds = Number(process.argv[3] ?? 3);
const connections = 8;
const secret = 'the webhook secret';

let deliveries = 0;

/** Measures requests per second over several connections. Each request is a different event. */
async function measure(url: string, isGenuine: boolean, expected: number): Promise<number> {
	const agent = new Agent({ connections });
	let answered = 0;
	const started = performance.now();
	const end = started + seconds * 1000;
	const worker = async () => {
		while (performance.now() < end) {
			deliveries++;
			const body = JSON.stringify({ id: 'exc_1', accepted_at: 1_782_907_200 + deliveries });
			const signature = createHmac('sha256', isGenuine ? secret : 'forged')
				.update(body)
				.digest('hex');
			const headers = { 'content-type': 'application/json', 'x-pb-signature': signature };
			const response = await request(url, { method: 'POST', dispatcher: agent, headers, body });
			await response.body.dump();
			if (response.statusCode !== expected) {
				throw new Error(`${url} answered ${response.statusCode}`);
			}
			answered++;
		}
	};
	await Promise.all(Array.from({ length: connections }, worker));
	const rate = answered / ((performance.now() - started) / 1000);
	await agent.close();
	return rate;
}

function median(numbers: number[]): number {
	return numbers.sort((one, other) => one - other)[numbers.length >> 1] ?? NaN;
}

const settings: Record<string, string> = {};
for (const setting of process.argv.slice(4)) {
	const [name = '', value = ''] = setting.split('=');
	settings[name] = value;
}
const n8n = await RealN8n.prepare(settings);
const sandbox = await startSandbox();
sandbox.requestOffer({ id: 'exc_1' });
try {
	const { baseUrl, apiKey } = sandbox;
	await n8n.importCredential('account', { baseUrl, apiKey, webhookSecret: secret });
	await n8n.importWorkflows(
		[
			triggerWorkflow('ours', { options: { lookUpExchange: false } }),
			triggerWorkflow('complete'),
			stockVerification('stock', secret),
			bareWebhook('bare'),
		],
		'account',
	);
	await n8n.start();
	const ours = await n8n.webhookUrl('ours');
	const complete = await n8n.webhookUrl('complete');
	const stock = `${n8n.origin}/webhook/stock`;
	const bare = `${n8n.origin}/webhook/bare`;
	const cases = {
		'forged, this trigger': () => measure(ours, false, 401),
		'forged, Webhook → Crypto → If': () => measure(stock, false, 200),
		'genuine, this trigger': () => measure(ours, true, 200),
		'genuine, this trigger, Look Up Exchange': () => measure(complete, true, 200),
		'genuine, Webhook → Crypto → If': () => measure(stock, true, 200),
		'genuine, bare Webhook (verifies nothing)': () => measure(bare, true, 200),
	};
	const rates = new Map<string, number[]>();
	for (let round = 0; round <= rounds; round++) {
		for (const [name, run] of Object.entries(cases)) {
			const rate = await run();
			// The first round warms n8n up.
			if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate]);
			// Executions of the last measurement must not overlap with the next one.
			await new Promise((resolve) => setTimeout(resolve, 2000));
		}
	}
	const getRate = (name: keyof typeof cases) => median(rates.get(name) ?? []);
	for (const name of Object.keys(cases) as Array<keyof typeof cases>) {
		console.log(`${name.padEnd(42)} ${getRate(name).toFixed(1).padStart(7)} requests/s`);
	}
	for (const [one, other, least] of [
		['forged, this trigger', 'forged, Webhook → Crypto → If', 5],
		['genuine, this trigger', 'genuine, Webhook → Crypto → If', 1.2],
		['genuine, this trigger', 'genuine, bare Webhook (verifies nothing)', 0.95],
	] as const) {
		const ratio = (getRate(one) / getRate(other)).toFixed(2);
		console.log(`${one}, against ${other}: ${ratio} (at least ${least})`);
	}
} finally {
	await n8n.remove();
	await sandbox.close();
}
