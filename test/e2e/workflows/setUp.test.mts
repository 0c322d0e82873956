/**
 * A user without JavaScript knowledge sets up the ready-made workflows in the browser, step by step
 * as their notes describe it, with her clicks counted. Then the workflows run.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest';

import { readWorkflow, type WorkflowFile } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { addDataTableRow, openDataTable } from '../dataTablesPage.mts';
import { N8nScreen } from '../editorPage.mts';
import { clickButton } from './approval.mts';
import { useWorld } from './environment.mts';
import { PageRank } from './pageRank.mts';
import { chooseCredential, copyProductionUrl, setUpSlack } from './setUpSteps.mts';

const pageRank = new PageRank();
const world = useWorld({
	hosts: {
		'openpagerank.com': (routes) => {
			pageRank.addRoutes(routes);
		},
	},
});
const n8n = N8nScreen.useIn(world);

/** Names of the credentials that the user already has. */
const service = 'backlinkExchangeApi';
const slack = 'slackApi';

beforeAll(() => {
	world.sandbox.addSite({ url: 'https://your-site.example', niche: 'tea' });
});

beforeEach(() => {
	n8n.person.done();
});

/** Requests an offer. */
const offer = (fromSite: string, anchor = 'green tea') =>
	world.sandbox.requestOffer({ fromSite, toSite: 'https://your-site.example', anchor }).id;

const accepts = (ids: string[]) => ids.map((id) => world.sandbox.books.acceptCount(id));

/** Returns the texts of all Slack messages in the channel that the user chose. */
const messages = () =>
	world.slack.messages.filter(({ channel }) => channel === 'C0LINKS').map(({ text }) => text);

/** Returns the newest workflow as n8n has saved it. */
function saved(): { active: boolean; parametersOf: (node: string) => object | undefined } {
	const [row] = world.n8n.query(
		'SELECT nodes, active FROM workflow_entity ORDER BY createdAt DESC LIMIT 1',
	);
	const nodes = JSON.parse(String(row?.nodes)) as WorkflowFile['nodes'];
	return {
		active: row?.active === 1,
		parametersOf: (node) => nodes.find(({ name }) => name === node)?.parameters,
	};
}

/** Opens a node after an execution, and checks that its output contains this text. */
async function readOutput(node: string, text: string | RegExp): Promise<void> {
	await n8n.openStep(node);
	await n8n.output.getByText(text).first().waitFor();
	await n8n.closeStep();
}

/** Turns off the dry run of a node. */
async function turnOffDryRun(node: string): Promise<void> {
	await n8n.openStep(node);
	await n8n.turn('Dry Run');
	await n8n.closeStep();
	await expect.poll(() => saved().parametersOf(node)).not.toMatchObject({ dryRun: true });
}

/** Publishes the workflow, which ends its setup, and checks the number of clicks so far. */
async function publish(name: string, maxClicks: number): Promise<void> {
	await n8n.publish();
	await n8n.confirmPublished();
	await expect.poll(() => saved().active).toBe(true);
	const { clicks } = n8n.person.done();
	console.log(`${name}: ${clicks} clicks`);
	expect(clicks).toBeLessThanOrEqual(maxClicks);
}

test('Watchdog alerts can be published with at most 12 clicks, and lets other alerts wait', async () => {
	const { page, person } = n8n;
	await n8n.importFile('watchdog-alerts');
	await n8n.openStep('Send to Slack');
	await n8n.chooseChannel('link-exchange');
	await n8n.closeStep();
	await n8n.publish();
	await expect.poll(() => saved().active).toBe(true);
	const { clicks } = person.done();
	console.log(`Watchdog alerts: ${clicks} clicks`);
	expect(clicks).toBeLessThanOrEqual(12);
	expect(saved().parametersOf('Send to Slack')).toMatchObject({ channelId: { value: 'C0LINKS' } });

	await page.reload();
	for (const [node, field] of [
		['Urgent alerts', 'Excluded Severities'],
		['Other alerts each morning', 'Severities'],
	] as const) {
		await n8n.openStep(node);
		await n8n.fill(field, 'info, high');
		await n8n.closeStep();
	}
	await expect
		.poll(() => saved().parametersOf('Urgent alerts'))
		.toMatchObject({ filters: { excludedSeverities: 'info, high' } });
	await expect
		.poll(() => saved().parametersOf('Other alerts each morning'))
		.toMatchObject({ filters: { severities: 'info, high' } });
}, 300_000);

test('Scheduled auto-accept accepts offers by the rules that its note asks for', async () => {
	const ids = [offer('https://good.example'), offer('https://other.example')];
	await n8n.importFile('scheduled-auto-accept');
	await n8n.openStep('Accept by rules');
	await n8n.chooseCredential(service);
	await n8n.fill('Allowed Partners', 'good.example');
	await n8n.fill('Max Accepts', '2');
	await n8n.closeStep();
	await setUpSlack(n8n, 'Send to Slack', slack);
	await n8n.executeWorkflow();
	await readOutput('Accept by rules', /Would accept \(dry run\): the offer good\.example/);
	expect(messages()).toEqual([expect.stringMatching(/Would accept \(dry run\): good\.example/)]);
	expect(accepts(ids)).toEqual([0, 0]);
	await turnOffDryRun('Accept by rules');
	await publish('Scheduled auto-accept', 30);

	await n8n.executeWorkflow();
	expect(accepts(ids)).toEqual([1, 0]);
	expect(messages()[1]).toContain('Accepted: good.example');
}, 300_000);

test('Accept by rating accepts offers with the Open PageRank key that its note asks for', async () => {
	pageRank.ratings.set('rated.example', 7);
	const ids = [offer('https://rated.example'), offer('https://unrated.example')];
	await n8n.importFile('accept-by-rating');
	await chooseCredential(n8n, 'Get pending offers', service);
	await chooseCredential(n8n, 'Accept offer', service);
	await n8n.openStep('Look up rating');
	await n8n.createCredential({ name: 'API-OPR', value: 'the free key' });
	await n8n.closeStep();
	await setUpSlack(n8n, 'Send to Slack', slack);
	await n8n.executeWorkflow();
	await readOutput('Accept offer', /Would accept \(dry run\): the offer rated\.example/);
	expect(pageRank.key).toBe('the free key');
	expect(messages()).toEqual([
		expect.stringMatching(/^Would accept \(dry run\).*\nNeeds review: .*unrated\.example/),
	]);
	expect(accepts(ids)).toEqual([0, 0]);
	await turnOffDryRun('Accept offer');
	await n8n.openSettings();
	await n8n.page.getByTestId('workflow-settings-timezone').waitFor();
	await n8n.closeSettings();
	await publish('Accept by rating', 45);

	await n8n.executeWorkflow();
	expect(accepts(ids)).toEqual([1, 0]);
	expect(messages()[1]).toMatch(/^Accepted: .*\nNeeds review: .*unrated\.example/);
}, 300_000);

test('Partner list and log creates the data tables, which the user then opens', async () => {
	const ids = [offer('https://listed.example'), offer('https://other.example')];
	await n8n.importFile('partner-list-and-log');
	await chooseCredential(n8n, 'Accept by list', service);
	// The table isn't there yet, and a look at its columns changes nothing.
	await n8n.openStep('Add to the log');
	await n8n.page.waitForTimeout(2000);
	await n8n.closeStep();
	await setUpSlack(n8n, 'Send to Slack', slack);
	await n8n.executeWorkflow('The data table Backlink Exchange partners is empty');
	const tab = { person: n8n.person, page: await n8n.person.open(world.n8n.origin) };
	await openDataTable(tab, 'Backlink Exchange partners');
	await addDataTableRow(tab, 'listed.example');
	await n8n.executeWorkflow();
	await readOutput('Accept by list', /Would accept \(dry run\): the offer listed\.example/);
	expect(messages()).toEqual([expect.stringMatching(/Would accept \(dry run\): listed\.example/)]);
	expect(accepts(ids)).toEqual([0, 0]);
	const { nodes } = readWorkflow('partner-list-and-log');
	const adding = nodes.find(({ name }) => name === 'Add to the log');
	const { dataTableId, columns } = adding?.parameters ?? {};
	const { value } = columns as { value: object };
	expect(saved().parametersOf('Add to the log')).toMatchObject({ dataTableId, columns: { value } });
	await turnOffDryRun('Accept by list');
	await publish('Partner list and log', 40);

	await n8n.executeWorkflow();
	expect(accepts(ids)).toEqual([1, 0]);
	expect(messages()[1]).toContain('Accepted: listed.example');
	await openDataTable(tab, 'Backlink Exchange accepted offers');
	const cells = tab.page.locator('.ag-cell');
	for (const text of [ids[0] ?? '', 'listed.example', 'https://your-site.example']) {
		await cells.getByText(text, { exact: true }).waitFor();
	}
	await tab.page.close();

	await n8n.importFile('spending-by-partner');
	await setUpSlack(n8n, 'Send to Slack', slack);
	await n8n.executeWorkflow();
	await expect.poll(() => messages().at(-1)).toMatch(/^Partner list and log spent [\d.]+ credits/);
	expect(messages().at(-1)).toContain('\n- listed.example: ');
	await publish('Spending by partner', 20);
}, 400_000);

test('Bulk add sites adds sites from the form that its note leads to', async () => {
	await n8n.importFile('bulk-add-sites');
	await chooseCredential(n8n, 'Add sites', service);
	await n8n.openStep('Paste sites');
	await n8n.createCredential({ user: 'ada', password: 'her password' });
	await n8n.closeStep();
	await publish('Bulk add sites', 25);
	await n8n.openStep('Paste sites');
	const url = await copyProductionUrl(n8n);
	await n8n.closeStep();
	n8n.person.done();

	const browser = n8n.page.context().browser();
	const context = await browser?.newContext({
		httpCredentials: { username: 'ada', password: 'her password' },
	});
	const page = await context?.newPage();
	if (page === undefined) throw new Error('The browser is closed.');
	await page.goto(url);
	await page.getByLabel('Sites').fill('bulk.example\nno address');
	await page.getByLabel('Niche').fill('tea');
	await page.getByRole('button', { name: 'Submit' }).click();
	await page.getByText('1 added, 0 already there, 1 failed').waitFor();
	await page.getByText("Failed: 'URL' must be the URL of a site [item 1].").waitFor();
	expect(world.sandbox.books.sites().map((site) => site.url)).toContain('https://bulk.example');
	await context?.close();
}, 300_000);

test('Weekly report sends its report when the user selects Execute workflow', async () => {
	await n8n.importFile('weekly-report');
	await chooseCredential(n8n, 'Get summary', service);
	await chooseCredential(n8n, 'Get client reports', service);
	await setUpSlack(n8n, 'Send to Slack', slack);
	await chooseCredential(n8n, 'Send to client', slack);
	await n8n.openSettings();
	await n8n.page.getByTestId('workflow-settings-timezone').waitFor();
	await n8n.closeSettings();
	await n8n.executeWorkflow();
	await readOutput('Get summary', /you have 100 left/);
	expect(messages()).toEqual([expect.stringContaining('you have 100 left')]);
	await publish('Weekly report', 35);
}, 300_000);

// Last, because its trigger asks about the offers of other tests.
test('Offer approval asks about a new offer, and accepts it after a click on Accept', async () => {
	await n8n.importFile('offer-approval');
	await chooseCredential(n8n, 'New offer', service);
	await n8n.openStep('Accept offer');
	await n8n.chooseCredential(service);
	await n8n.closeStep();
	await setUpSlack(n8n, 'Ask in Slack', slack);
	await setUpSlack(n8n, 'Send the result to Slack', slack);
	await n8n.openStep('Accept offer');
	await n8n.addOption('Minimum Balance');
	await n8n.fill('Minimum Balance', '20');
	await n8n.closeStep();
	await world.asked(1, async () => {
		await publish('Offer approval', 40);
	});

	const id = offer('https://new.example');
	await expect.poll(() => world.slack.messages.length, { timeout: 150_000 }).toBe(1);
	expect(JSON.stringify(world.slack.messages[0]?.blocks)).toContain('new.example offers a link');
	expect(accepts([id])).toEqual([0]);
	await clickButton(world.slack, 'Accept');
	await expect.poll(() => messages().length).toBe(2);
	expect(messages()[1]).toMatch(/^Accepted: the offer new\.example/);
	expect(accepts([id])).toEqual([1]);
}, 400_000);
