/** The inbox's data table in a real n8n: a month of events in it, full, deleted; copies, and settings that cannot be read. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { Editor } from '../workflows/editor.mts';
import { type Event, Rig } from './rig.mts';
import { alert, begin, deliver, offer, quickly } from './scenarios.mts';
import { inboxWorkflow, receiver } from './workflows.mts';

const patience = { timeout: 120_000, interval: 500 };
const webhookIds = { plain: crypto.randomUUID(), wrong: crypto.randomUUID() };
let rig: Rig;

/** A workflow that writes into the books and then waits for an hour, as for a person. */
function waiting(booksUrl: string) {
	const workflow = receiver('waiting', booksUrl);
	workflow.nodes.push({
		id: 'waiting-wait',
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		position: [0, 0],
		parameters: { amount: 1, unit: 'hours' },
	});
	workflow.connections.Books = { main: [[{ node: 'Wait', type: 'main', index: 0 }]] };
	return workflow;
}

const copy = (id: keyof typeof webhookIds, settings: Record<string, unknown>) =>
	inboxWorkflow({ ...quickly, polls: false, id, webhookId: webhookIds[id], settings });

beforeAll(async () => {
	rig = await Rig.start('single', quickly, {
		environment: {
			N8N_DATA_TABLES_MAX_SIZE_BYTES: String(64 * 2 ** 20),
			// n8n would believe for five seconds that there is room.
			N8N_DATA_TABLES_SIZE_CHECK_CACHE_DURATION_MS: '0',
		},
		workflows: (booksUrl) => [
			waiting(booksUrl),
			copy('plain', { exchangeRequested: 'waiting', startedOnly: 'waiting' }),
			copy('wrong', { watchdogAlert: 'receiver', maxTries: 'many' }),
		],
	});
	await begin(rig);
});

afterAll(async () => {
	await rig.close();
});

async function send(event: Event, webhookId?: string): Promise<void> {
	expect(await rig.deliver(rig.n8n.origin, [event], webhookId)).toBe(200);
}

const calls = (part: string) => rig.books.calls.filter(({ eventKey }) => eventKey.includes(part));

it('without a workflow an event is kept, and a copy shares nothing', async () => {
	await send(alert('kept'), webhookIds.plain);
	const rows = () => rig.rows('TRUE', 'plain');
	await expect.poll(() => rows().map(({ state }) => state), patience).toEqual(['no workflow']);
	// The other inbox has not seen it.
	await send(alert('kept'));
	await expect.poll(() => calls('kept').length, patience).toBe(1);
}, 300_000);

it('a workflow that waits for a person is started, and its event is done', async () => {
	await send(offer('approval'), webhookIds.plain);
	const row = () => rig.rows(`"eventKey" LIKE '%approval'`, 'plain')[0]?.state;
	await expect.poll(row, patience).toBe('done');
	const status = () =>
		rig.query(`SELECT "status" FROM "execution_entity" WHERE "workflowId" = 'waiting'`);
	await expect.poll(status, patience).toEqual([{ status: 'waiting' }]);
	expect(calls('approval')).toHaveLength(1);
}, 300_000);

it('settings that cannot be read stop the run with a plain message, and the event waits', async () => {
	await send(alert('patient'), webhookIds.wrong);
	const errors = () => rig.n8n.executions.flatMap(({ error }) => error ?? []);
	await expect
		.poll(() => errors().join('\n'), patience)
		.toContain('Please correct the node Settings: maxTries must be a number from 1 to 100');
	const rows = () => rig.rows('TRUE', 'wrong');
	const written = () => rows().map(({ state, tries }) => ({ state, tries }));
	await expect.poll(written, patience).toEqual([{ state: 'new', tries: 0 }]);
	expect(calls('patient')).toEqual([]);

	await rig.n8n.stop();
	await rig.n8n.importWorkflows([copy('wrong', { watchdogAlert: 'receiver' })], 'account');
	// As if the two minutes were over in which a new row is left to the execution that wrote it.
	rig.change(`"due" = "receivedAt"`, 'TRUE', 'wrong');
	await rig.n8n.start();
	await expect.poll(() => calls('patient').length, patience).toBe(1);
	await expect.poll(() => rows()[0]?.state, patience).toBe('done');
}, 300_000);

it('with a month of events in the table, new ones come through and old ones are known', async () => {
	// 1,000 events a day, each by webhook and by polling; those of the day before are to be forgotten.
	const detail = 'x'.repeat(400);
	const history = (first: number, last: number, when: string) => `
		WITH RECURSIVE n(i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})
		INSERT INTO "${rig.table() ?? ''}"
			("eventKey", "event", "about", "source", "data", "state", "tries", "due", "receivedAt", "forgetAt")
		SELECT 'exchange.requested:old-' || (i / 2), 'exchange.requested', 'exchange old-' || (i / 2),
			CASE i % 2 WHEN 0 THEN 'webhook' ELSE 'poll' END,
			CASE i % 2 WHEN 0 THEN '${detail}' ELSE '' END,
			CASE i % 2 WHEN 0 THEN 'done' ELSE 'repeated' END, 1,
			'2026-01-01 00:00:00.000', '2026-01-01 00:00:00.000', strftime('%Y-%m-%d %H:%M:%f', 'now', '${when}')
		FROM n`;
	rig.execute(history(0, 59_999, '+10 days'));
	rig.execute(history(60_000, 61_999, '-1 minute'));
	const count = () => {
		const [row] = rig.query(`SELECT count(*) AS n FROM "${rig.table() ?? ''}"`);
		return Number(row?.n);
	};
	await expect.poll(count, patience).toBeLessThan(60_100);
	expect(count()).toBeGreaterThanOrEqual(60_000);

	await deliver(rig, () => rig.n8n.origin, [offer('old-7'), offer('old-29999')]);
	await deliver(rig, () => rig.n8n.origin, [offer('fresh-1'), offer('fresh-2')]);
	await expect.poll(() => calls(':fresh-').length, patience).toBe(2);
	const known = () => rig.rows(`"eventKey" LIKE '%:old-%' AND "note" LIKE 'the same%'`);
	await expect.poll(() => known().length, patience).toBe(2);
	expect(calls(':old-')).toEqual([]);

	const editor = await Editor.open(rig.n8n);
	const limits = (await editor.request('GET', '/rest/data-tables-global/limits')) as {
		totalBytes: number;
	};
	console.log(`n8n counts ${(limits.totalBytes / 2 ** 20).toFixed(1)} MB for 60,000 rows`);
	expect(limits.totalBytes).toBeLessThan(200 * 2 ** 20);
}, 600_000);

it('when the tables are full, the execution fails, and Retry brings its event', async () => {
	rig.execute(`
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 69)
		INSERT INTO "${rig.table() ?? ''}" ("eventKey", "state", "tries", "data")
		SELECT 'padding', 'done', 1, hex(zeroblob(524288)) FROM n`);
	await send(offer('squeezed'));
	const failed = () =>
		rig.n8n.executions.find(({ error }) => error?.includes('Data table size limit exceeded'));
	await expect.poll(failed, patience).toBeDefined();
	expect(calls('squeezed')).toEqual([]);

	rig.execute(`DELETE FROM "${rig.table() ?? ''}" WHERE "eventKey" = 'padding'`);
	const editor = await Editor.open(rig.n8n);
	await editor.request('POST', `/rest/executions/${failed()?.id ?? ''}/retry`, {
		loadWorkflow: false,
	});
	await expect.poll(() => calls('squeezed').length, patience).toBe(1);
}, 600_000);

it('when the table is deleted, the next event makes a new one', async () => {
	const editor = await Editor.open(rig.n8n);
	const [table] = rig.query(
		`SELECT "id", "projectId" FROM "data_table" WHERE "name" LIKE '%(event-inbox)'`,
	);
	await editor.request(
		'DELETE',
		`/rest/projects/${String(table?.projectId)}/data-tables/${String(table?.id)}`,
	);
	await send(offer('fresh-1'));
	// What is no longer remembered is new.
	await expect.poll(() => calls(':fresh-1').length, patience).toBe(2);
	expect(rig.rows()).toHaveLength(1);
}, 300_000);
