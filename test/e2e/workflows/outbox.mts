/** The data table that the ready-made workflows write their news into, and the workflow that tells it. */
import type { Imported } from './editor.mts';
import type { World } from './world.mts';

export const slackChannel = '#link-exchange';
export const emailTo = 'team@company.example';
const emailFrom = 'n8n@company.example';

/** A row of the outbox, as far as the tests look at it. */
export interface News {
	id: number;
	key: string;
	workflowId: string;
	exchange: string;
	outcome: string;
	headline: string;
	facts: string;
	state: string;
	slack: string;
	email: string;
	claim: string;
}

/** Imports the workflow that tells, set up for these recipients; by default Slack. */
export async function importTell(world: World, tell = slackChannel): Promise<Imported> {
	const activate = [tell.includes('#') && 'Tell Slack', tell.includes('@') && 'Tell by email'];
	return await world.editor.importWorkflow(
		'tell-slack-and-email',
		{ tell, emailFrom },
		activate.filter((node) => node !== false),
	);
}

/** What is in the outbox, the oldest first. */
export function news(world: World): News[] {
	const table = tableOf(world);
	if (table === undefined) return [];
	return world.n8n.query(`SELECT * FROM ${table.sql} ORDER BY id`) as unknown as News[];
}

/** Puts rows into the outbox, as a workflow does. */
export async function write(world: World, rows: Array<Record<string, unknown>>): Promise<void> {
	const table = tableOf(world);
	if (table === undefined) throw new Error('There is no outbox yet.');
	const data = rows.map((row) => ({ workflow: 'A workflow', state: 'new', ...row }));
	await world.editor.request(
		'POST',
		`/rest/projects/${table.projectId}/data-tables/${table.id}/insert`,
		{ data, returnType: 'count' },
	);
}

/** Changes the rows of an exchange, as a person can in the editor. */
export async function change(
	world: World,
	data: Record<string, unknown>,
	exchange: string,
): Promise<void> {
	const table = tableOf(world);
	if (table === undefined) throw new Error('There is no outbox yet.');
	const filter = {
		type: 'and',
		filters: [{ columnName: 'exchange', condition: 'eq', value: exchange }],
	};
	await world.editor.request(
		'PATCH',
		`/rest/projects/${table.projectId}/data-tables/${table.id}/rows`,
		{ filter, data },
	);
}

/** Forgets everything. */
export async function forget(world: World): Promise<void> {
	const table = tableOf(world);
	if (table === undefined) return;
	const every = { columnName: 'id', condition: 'gt', value: 0 };
	const filter = encodeURIComponent(JSON.stringify({ type: 'and', filters: [every] }));
	await world.editor.request(
		'DELETE',
		`/rest/projects/${table.projectId}/data-tables/${table.id}/rows?filter=${filter}`,
	);
}

/** Runs the workflow that tells once, and returns what Slack got from it. */
export async function tellSlack(world: World, tell: Imported): Promise<string[]> {
	const before = world.slack.messages.length;
	await tell.execute('Every minute');
	return world.slack.messages.slice(before).map(({ text }) => text);
}

/** The SQL name of the outbox; undefined as long as no workflow has made it. */
function tableOf(world: World): { id: string; sql: string; projectId: string } | undefined {
	const [table] = world.n8n.query(
		"SELECT id, projectId FROM data_table WHERE name = 'Backlink Exchange outbox'",
	);
	if (table === undefined) return undefined;
	const id = String(table.id);
	return { id, sql: `"data_table_user_${id}"`, projectId: String(table.projectId) };
}
