/** n8n is killed in the workflows that ask, watch and report: nothing that they had to say is lost. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { clickButton } from './approval.mts';
import { callWorkflow, startCall } from './caller.mts';
import type { Imported } from './editor.mts';
import { authorization, upload } from './form.mts';
import { setTrap, type Trap } from './kill.mts';
import { forget, importTell, slackChannel, tellSlack } from './outbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let tell: Imported;
let trap: Trap;

beforeAll(async () => {
	world = await startWorld({
		limits: { perMinute: 100_000 },
		dialect: { acceptAgain: '200-charged-again' },
		verification: { delayMilliseconds: 100 },
	});
	tell = await importTell(world);
	await tell.execute('Every minute');
	trap = await setTrap(world);
});

afterAll(async () => {
	trap.close();
	await world.close();
});

beforeEach(async () => {
	world.slack.messages.length = 0;
	world.sandbox.clearFaults();
	world.sandbox.setCredits(100);
	await forget(world);
});

async function told(): Promise<string[]> {
	const messages = await tellSlack(world, tell);
	return messages.flatMap((text) => text.split('\n').slice(1));
}

/** A copy of the workflow as it is saved, with the trap behind this node. */
async function trapped(workflow: Imported, node: string): Promise<Imported> {
	const { name, nodes, connections, settings } = trap.behind(node, await workflow.read());
	const copy = await world.editor.create({ name, nodes, connections, settings });
	await copy.publish();
	return copy;
}

describe('offer approval', () => {
	const importFlow = async () =>
		await world.editor.importWorkflow(
			'offer-approval',
			{ ask: slackChannel, daysToDecide: 60 / 86_400 },
			['Ask in Slack'],
		);
	const event = (id: string) => ({
		event: 'exchange.requested',
		eventKey: `exchange.requested:${id}`,
		data: { id, from_site: 'a.example', to_site: 'b.example', anchor: 'c' },
	});

	it.each(['Question', 'Questions', 'The first question?'])(
		'killed after "%s": it is told that nobody has decided',
		async (node) => {
			const { id } = world.sandbox.requestOffer();
			await startCall(world, await trapped(await importFlow(), node), event(id));
			await trap.restart();
			expect(await told()).toEqual([expect.stringMatching(`^Nobody has decided.*"${id}"`)]);
			expect(world.sandbox.books.acceptsOf(id)).toBe(0);
		},
	);

	it.each(['Accept it?', 'Approved', 'Accept offer', 'News', 'Write down'])(
		'killed after "%s", when somebody had approved: it is told once, and paid once at most',
		async (node) => {
			const { id } = world.sandbox.requestOffer();
			const workflow = await trapped(await importFlow(), node);
			await callWorkflow(world, workflow, event(id));
			await expect.poll(() => world.slack.messages.length, { timeout: 30_000 }).toBe(1);
			await clickButton(world.slack, 'Accept');
			await trap.restart();
			const accepts = world.sandbox.books.acceptsOf(id);
			const headline = {
				'Accept it?': 'Nobody has decided',
				'Write down': 'Accepted: ',
			}[node];
			expect(await told()).toEqual([
				expect.stringMatching(`^${headline ?? 'Please check'}.*"${id}"`),
			]);
			expect(accepts).toBe(['Accept it?', 'Approved'].includes(node) ? 0 : 1);
			expect(await told()).toEqual([]);
		},
	);

	it('killed while somebody thinks it over: the answer counts after the restart', async () => {
		const { id } = world.sandbox.requestOffer();
		const workflow = await world.editor.importWorkflow('offer-approval', { ask: slackChannel }, [
			'Ask in Slack',
		]);
		await workflow.publish();
		await callWorkflow(world, workflow, event(id));
		await expect.poll(() => world.slack.messages.length, { timeout: 30_000 }).toBe(1);
		await workflow.finished(1); // It waits.
		trap.spring();
		await trap.restart();
		const before = workflow.executions().length;
		await clickButton(world.slack, 'Accept');
		await workflow.finished(before);
		expect(await told()).toEqual([expect.stringContaining(`Accepted: exchange "${id}"`)]);
		expect(world.sandbox.books.acceptsOf(id)).toBe(1);
	});
});

describe('watchdog routing', () => {
	const alert = {
		event: 'watchdog.alert',
		eventKey: 'watchdog.alert:1',
		data: { exchange_id: 'exc_1', severity: 'critical', type: 'gone', detail: '' },
	};

	it.each(['Check settings', 'Read alerts', 'Write down'])(
		'killed after "%s": told once, when it is called again',
		async (node) => {
			const workflow = await world.editor.importWorkflow('watchdog-routing');
			const whole = await workflow.read();
			await workflow.change(trap.behind(node, whole));
			await workflow.publish();
			await startCall(world, workflow, alert);
			await trap.restart();
			await workflow.change(whole);
			await workflow.publish();
			await callWorkflow(world, workflow, alert);
			expect(await told()).toEqual([expect.stringContaining('type "gone"')]);
		},
	);

	it('killed after "Tell what was collected": told once', async () => {
		const workflow = await world.editor.importWorkflow('watchdog-routing');
		await workflow.publish();
		const warning = { ...alert, data: { ...alert.data, severity: 'warning' } };
		await callWorkflow(world, workflow, warning);
		await workflow.change(trap.behind('Tell what was collected', await workflow.read()));
		await workflow.start('Every morning');
		await trap.restart();
		expect(await told()).toEqual([expect.stringContaining('severity "warning"')]);
		expect(await told()).toEqual([]);
	});
});

it.each([
	['low-credits', 'Every day', 'Get balance'],
	['low-credits', 'Every day', 'News'],
	['low-credits', 'Every day', 'Write down'],
	['weekly-report', 'Every Monday', 'Exchanges'],
	['weekly-report', 'Every Monday', 'Report'],
	['weekly-report', 'Every Monday', 'Write down'],
] as const)(
	'%s (%s), killed after "%s": told by the next run, and once',
	async (...[file, trigger, node]) => {
		world.sandbox.setCredits(10);
		const workflow = await world.editor.importWorkflow(file);
		const whole = await workflow.read();
		await workflow.change(trap.behind(node, whole));
		await workflow.start(trigger);
		await trap.restart();
		await workflow.change(whole);
		const first = await told();
		await workflow.execute(trigger);
		const lines = [...first, ...(await told())].join('\n');
		if (file === 'low-credits') {
			expect(lines.match(/10 are left/g)).toHaveLength(1);
		} else {
			// What the report that was written down has told, the next one does not tell again.
			expect(lines.match(/\(all until now\)/g)).toHaveLength(1);
			expect(lines.match(/ earned, /g)).toHaveLength(node === 'Write down' ? 2 : 1);
		}
	},
);

it('bulk add sites, killed while it adds: the same file once more adds the rest', async () => {
	const { sandbox } = world;
	const workflow = await world.editor.importWorkflow('bulk-add-sites', { secondsToVerify: 20 });
	await workflow.publish();
	const urls = Array.from({ length: 5 }, (_, site) => `https://killed-${site}.example`);
	const csv = `url,niche\n${urls.map((url) => `${url},cars\n`).join('')}`;
	await upload(workflow, 'url,niche\nhttps://first.example,cars\n');
	sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', times: 3, milliseconds: 20_000 });
	const body = new FormData();
	body.append('field-0', new Blob([csv], { type: 'text/csv' }), 'sites.csv');
	await fetch(workflow.form(), { method: 'POST', headers: { authorization }, body });
	await expect
		.poll(() => sandbox.books.sites().length, { timeout: 30_000 })
		.toBeGreaterThanOrEqual(4);
	trap.spring();
	await trap.restart();
	sandbox.clearFaults();
	const rows = await upload(workflow, csv);
	expect(rows.map(([, url]) => url)).toEqual(urls);
	for (const [, , result] of rows) expect(result).toMatch(/^(added|known before), verified$/);
	const added = sandbox.books.sites().map(({ url }) => url);
	for (const url of urls) expect(added.filter((each) => each === url)).toHaveLength(1);
});

it.each(['News', 'Write down'])(
	'tell failures, killed after "%s": told, if not of this failure then of the next',
	async (node) => {
		const failures = await world.editor.importWorkflow('tell-failures');
		const whole = await failures.read();
		await failures.change(trap.behind(node, whole));
		await failures.publish();
		const path = crypto.randomUUID();
		const failing = await world.editor.create({
			name: 'A workflow that fails',
			nodes: [
				{
					id: crypto.randomUUID(),
					name: 'Request',
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					position: [0, 0],
					webhookId: path,
					parameters: { path, httpMethod: 'POST', responseMode: 'onReceived', options: {} },
				},
				{
					id: crypto.randomUUID(),
					name: 'Stop',
					type: 'n8n-nodes-base.stopAndError',
					typeVersion: 1,
					position: [200, 0],
					parameters: { errorMessage: 'It does not work' },
				},
			],
			connections: { Request: { main: [[{ node: 'Stop', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1', errorWorkflow: failures.id },
		});
		await failing.publish();
		const fail = async () => {
			const ask = async () =>
				(await fetch(`${world.n8n.origin}/webhook/${path}`, { method: 'POST' })).status;
			await expect.poll(ask, { timeout: 20_000 }).toBe(200);
		};
		await fail();
		await trap.restart();
		await failures.change(whole);
		await failures.publish();
		await fail();
		await failures.finished(0);
		expect(await told()).toEqual([expect.stringContaining('because "It does not work"')]);
	},
);
