/**
 * Partner list and log creates its data tables: the rules are rows of one table, and each accepted
 * offer becomes a row of another one. Spending by partner adds up the credits in that table.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest';

import type { Imported } from './editor.mts';
import { useWorld } from './environment.mts';
import { getBody, getSubject } from './mailbox.mts';

const world = useWorld();

let partners: { id: string };
let log: { id: string };

const tableNames = {
	partners: 'Backlink Exchange partners',
	log: 'Backlink Exchange accepted offers',
};

/** Returns the tables with these words in their name, oldest first. */
const findTables = (words: string) =>
	world.n8n.query(
		`SELECT id, name FROM data_table WHERE name LIKE '%${words}%' ORDER BY createdAt`,
	);

/** Lets the first run of the workflow create the tables, next to one with a similar name. */
beforeAll(async () => {
	world.sandbox.addSite({ url: 'https://your-site.example', niche: 'tea' });
	await world.editor.createTable('Exchange partners', ['allow', 'block']);
	const workflow = await world.editor.importWorkflow('partner-list-and-log');
	const execution = await workflow.execute('Every hour');
	expect(JSON.stringify(execution)).toContain(`The data table ${tableNames.partners} is empty`);
	const [partnerTable, logTable] = [tableNames.partners, tableNames.log].map(findTables);
	expect([partnerTable, logTable]).toMatchObject([
		[{ name: tableNames.partners }],
		[{ name: tableNames.log }],
	]);
	partners = { id: String(partnerTable?.[0]?.id) };
	log = { id: String(logTable?.[0]?.id) };
});

beforeEach(async () => {
	await world.editor.deleteRows(partners.id);
	await world.editor.deleteRows(log.id);
});

/** The change with which a user turns the dry run off. */
const live = {
	'Accept by list': {
		resource: 'exchange',
		operation: 'acceptMany',
		dryRun: false,
		acceptFrom: 'listed',
		allowedPartners: "={{ $json.allow || 'none.invalid' }}",
		blockedAnchorWords: 'casino, betting, loan',
		maxAccepts: 5,
		limits: {},
		rules: { blockedPartners: "={{ $json.block || 'none.invalid' }}" },
		options: { outputFormat: 'digest' },
	},
};

/** Imports the workflow for a user who has turned the dry run off. */
const importLive = async (switched: object = {}): Promise<Imported> =>
	await world.editor.importWorkflow('partner-list-and-log', live, switched);

const importReport = async (switched: object = {}): Promise<Imported> =>
	await world.editor.importWorkflow('spending-by-partner', {}, switched);

/** Requests an offer. */
const offer = (fromSite: string, cost = 1) =>
	world.sandbox.requestOffer({ fromSite, toSite: 'https://your-site.example', anchor: 'tea', cost })
		.id;

const rows = () => world.n8n.query(`SELECT * FROM data_table_user_${log.id}`);
const messages = () => world.slack.messages.map(({ text }) => text);
const isAccepted = (id: string) => world.sandbox.books.acceptCount(id) === 1;

test('accepts and records nothing as imported, and shows what it would accept', async () => {
	await world.editor.addRows(partners.id, [{ allow: 'good.example' }]);
	const id = offer('https://good.example');
	const workflow = await world.editor.importWorkflow('partner-list-and-log');
	expect((await workflow.execute('Every hour')).status).toBe('success');
	expect(messages()).toEqual([expect.stringMatching(/^Would accept \(dry run\): /)]);
	expect(isAccepted(id)).toBe(false);
	expect(rows()).toEqual([]);
});

test('ends the run with a message if the table of partners is empty', async () => {
	const id = offer('https://good.example');
	const workflow = await importLive();
	const execution = await workflow.execute('Every hour');
	expect(execution.status).toBe('error');
	expect(JSON.stringify(execution)).toContain(`The data table ${tableNames.partners} is empty`);
	expect(isAccepted(id)).toBe(false);
	// A later run uses the tables that are there.
	expect(findTables('Backlink Exchange')).toHaveLength(2);
});

test('follows the table without a change of the workflow: block wins over allow', async () => {
	const workflow = await importLive();
	await world.editor.addRows(partners.id, [{ allow: 'good.example' }, { allow: 'two.example' }]);
	const [good, two, other] = ['good', 'two', 'other'].map((name) =>
		offer(`https://${name}.example`, 7),
	);
	await workflow.execute('Every hour');
	expect([good, two, other].map((id) => isAccepted(id ?? ''))).toEqual([true, true, false]);
	expect(messages()).toHaveLength(1);
	expect(messages()[0]).toContain("The partner isn't in Allowed Partners");
	await world.editor.addRows(partners.id, [{ block: 'two.example' }]);
	const nextOffers = ['good', 'two'].map((name) => offer(`https://${name}.example`, 7));
	await workflow.execute('Every hour');
	expect(nextOffers.map(isAccepted)).toEqual([true, false]);
	expect(rows()).toMatchObject([
		{ exchangeId: good, partner: 'good.example', cost: 7 },
		{ exchangeId: two, partner: 'two.example', cost: 7 },
		{ exchangeId: nextOffers[0], partner: 'good.example', cost: 7, balance: 79 },
	]);
	for (const row of rows()) {
		expect(row.site).toBe('https://your-site.example');
		expect(Math.abs(Date.now() - Date.parse(`${String(row.time)}Z`))).toBeLessThan(60_000);
	}
});

test('a table with only blocked partners accepts nothing', async () => {
	await world.editor.addRows(partners.id, [{ block: 'bad.example' }]);
	const id = offer('https://good.example');
	expect((await (await importLive()).execute('Every hour')).status).toBe('success');
	expect(isAccepted(id)).toBe(false);
	expect(messages()).toHaveLength(1);
});

test('sends one message for 50 offers, and adds each accepted one', async () => {
	const ids = Array.from({ length: 50 }, (_, index) => offer(`https://p${index}.example`));
	await world.editor.addRows(
		partners.id,
		ids.map((_, index) => ({ allow: `p${index}.example` })),
	);
	expect((await (await importLive()).execute('Every hour')).status).toBe('success');
	const accepted = ids.filter(isAccepted);
	expect(accepted).toHaveLength(5);
	expect(messages()).toHaveLength(1);
	expect(
		rows()
			.map(({ exchangeId }) => exchangeId)
			.sort(),
	).toEqual(accepted.sort());
});

test('keeps the log when Slack is down, and adds no row twice in a retry', async () => {
	await world.editor.addRows(partners.id, [{ allow: 'good.example' }]);
	const id = offer('https://good.example');
	world.slack.state = 'down';
	const workflow = await importLive();
	expect((await workflow.execute('Every hour')).status).toBe('error');
	expect(rows()).toMatchObject([{ exchangeId: id }]);
	world.slack.state = 'up';
	await workflow.execute('Every hour');
	expect(rows()).toHaveLength(1);
});

test('reports the credits of this month per partner in one message', async () => {
	const now = new Date();
	const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 2 * 86_400_000);
	const row = (partner: string, cost: number | null, time = now) => ({
		time: time.toISOString(),
		exchangeId: crypto.randomUUID(),
		partner,
		site: 'https://your-site.example',
		cost,
		balance: 50,
	});
	await world.editor.addRows(log.id, [
		row('a.example', 0.1),
		row('b.example', 7.5),
		row('a.example', 0.2),
		row('a.example', null),
		row('unknown-cost.example', null),
		row('a.example', 100, lastMonth),
	]);
	const workflow = await importReport({ activate: ['Send by email'] });
	expect((await workflow.execute('Every Monday')).status).toBe('success');
	expect(messages()).toHaveLength(1);
	const total = /^Partner list and log spent 7\.8 credits in \p{L}+ \d{4}/u;
	expect(messages()[0]?.split('\n')).toEqual([
		expect.stringMatching(new RegExp(`${total.source}, by partner:$`, 'u')),
		'- a.example: 0.3',
		'- b.example: 7.5',
		'- unknown-cost.example: 0',
		"Offers that were accepted in another way aren't counted.",
	]);
	expect(world.mailbox.mails).toHaveLength(1);
	expect(getSubject(world.mailbox.mails[0])).toMatch(total);
	expect(getBody(world.mailbox.mails[0])).toContain('- a.example: 0.3');
});

test('sends no report for a month without a row', async () => {
	expect((await (await importReport()).execute('Every Monday')).status).toBe('success');
	expect(messages()).toEqual([]);
});
