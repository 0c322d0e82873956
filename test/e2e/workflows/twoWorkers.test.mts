/** The ready-made workflows in queue mode: runs at the same moment on two workers, with PostgreSQL and Redis. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { type QueueServices, startQueueServices } from '../queueServices.mts';
import { RealN8n } from '../realN8n.mts';
import { Editor, type Imported } from './editor.mts';

const workers: Array<Awaited<ReturnType<RealN8n['startAnother']>>> = [];
let services: QueueServices;
let sandbox: Sandbox;
let n8n: RealN8n;
let editor: Editor;

beforeAll(async () => {
	services = await startQueueServices();
	// The worst service: it takes the credits again when it is asked again.
	sandbox = await startSandbox({
		credits: 1000,
		limits: { perMinute: 100_000 },
		dialect: { acceptAgain: '200-charged-again' },
	});
	n8n = await RealN8n.prepare({
		...services.environment,
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	});
	await n8n.start();
	// A worker takes one execution at a time, so two at once are in two processes.
	for (let worker = 0; worker < 2; worker++) {
		workers.push(await n8n.startAnother(['worker', '--concurrency=1']));
	}
	editor = await Editor.open(n8n);
	const { baseUrl, apiKey } = sandbox;
	await editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey });
});

afterAll(async () => {
	await n8n.remove();
	await sandbox.close();
	await services.close();
});

/** Starts the workflows at once, waits for the end of all, and returns how they ended. */
async function runTogether(runs: Array<[workflow: Imported, trigger: string]>): Promise<string[]> {
	const executions = () =>
		services.query('SELECT "id", "status", "stoppedAt" FROM execution_entity ORDER BY "id"');
	const before = executions().length;
	await Promise.all(
		runs.map(async ([workflow, trigger]) => {
			await workflow.start(trigger);
		}),
	);
	const ended = () => executions().filter(({ stoppedAt }) => stoppedAt !== null).length;
	await expect.poll(ended, { timeout: 90_000 }).toBe(before + runs.length);
	return executions()
		.slice(before)
		.map(({ status }) => String(status));
}

/** The rows of the outbox about an exchange. */
function newsOf(exchange: string): Array<Record<string, unknown>> {
	const [table] = services.query(
		`SELECT "id" FROM data_table WHERE "name" = 'Backlink Exchange outbox'`,
	);
	const name = `data_table_user_${String(table?.id)}`;
	return services.query(`SELECT * FROM "${name}" WHERE "exchange" = '${exchange}' ORDER BY "id"`);
}

it('first runs at the same moment make one table, and none fails', async () => {
	const imported = await Promise.all(
		(
			[
				['low-credits', 'Every day'],
				['weekly-report', 'Every Monday'],
				['scheduled-auto-accept', 'Schedule'],
			] as const
		).map(
			async ([file, trigger]): Promise<[Imported, string]> => [
				await editor.importWorkflow(file),
				trigger,
			],
		),
	);
	expect(await runTogether([...imported, ...imported])).toEqual(
		Array.from({ length: 6 }, () => 'success'),
	);
	const tables = services.query(
		`SELECT "id" FROM data_table WHERE "name" LIKE '%Backlink Exchange outbox%'`,
	);
	expect(tables).toHaveLength(1);
});

it('auto-accept: each offer is asked for once, and told once', async () => {
	const workflow = await editor.importWorkflow('scheduled-auto-accept', {
		dryRun: false,
		allowedPartners: '*',
		refusedAnchorWords: '',
	});
	for (let round = 0; round < 5; round++) {
		const ids = Array.from({ length: 3 }, () => sandbox.requestOffer({ cost: 5 }).id);
		sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', times: 6, milliseconds: 700 });
		await runTogether([
			[workflow, 'Schedule'],
			[workflow, 'Schedule'],
		]);
		sandbox.clearFaults();
		// What both have left to the next run.
		expect(await runTogether([[workflow, 'Schedule']])).toEqual(['success']);
		for (const id of ids) {
			const asked = sandbox.books
				.requests()
				.filter(({ method, path }) => method === 'POST' && path.includes(id));
			expect(asked, id).toHaveLength(1);
			expect(sandbox.books.acceptsOf(id), id).toBe(1);
			const told = newsOf(id).filter(({ outcome }) => outcome !== 'withdrawn');
			expect(told, id).toMatchObject([{ outcome: 'accepted', state: 'new' }]);
		}
	}
	for (const { log } of workers) expect(log()).toContain('Worker started execution');
});
