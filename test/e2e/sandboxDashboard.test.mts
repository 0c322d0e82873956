/** The dashboard in a real browser: every button works. */
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';

import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.mts';
import { openReceiver, openSandbox } from '../sandbox/harness.mts';
import { useBrowser } from './browser.mts';
import { field, go, press } from './dashboardPage.mts';

let browser: Browser;
useBrowser(async (launched) => {
	browser = await Promise.resolve(launched);
});

/** Opens a page of a sandbox. A script error on the page fails the test. */
async function open(options: SandboxOptions = {}): Promise<{ page: Page; sandbox: Sandbox }> {
	const sandbox = await openSandbox(options);
	const context = await browser.newContext();
	const page = await context.newPage();
	const failures: string[] = [];
	page.on('pageerror', (error) => failures.push(error.message));
	onTestFinished(async () => {
		await context.close();
		expect(failures).toEqual([]);
	});
	await page.goto(sandbox.origin);
	return { page, sandbox };
}

const inRow = (page: Page, name: string | RegExp, text: string | RegExp) =>
	page.getByRole('row', { name }).getByText(text).waitFor();
const getMessage = (page: Page, message: string) =>
	page.getByRole('status').filter({ hasText: message }).waitFor();

test('the first page shows the credential, triggers events and lists each of them once', async () => {
	const { page, sandbox } = await open({ seed: 'demo' });
	for (const text of [sandbox.baseUrl, sandbox.apiKey]) await page.getByText(text).waitFor();
	const live = sandbox.books.exchanges('live').at(-1);
	await press(page, 'New offer');
	await getMessage(page, 'New offer: ');
	await press(page, 'Break a link');
	await getMessage(page, 'New alert (high, link removed) about ');
	expect(sandbox.books.exchange(live?.id ?? '').status).toBe('broken');
	const lines = page.locator('#activity li');
	expect(await lines.allInnerTexts()).toEqual([
		expect.stringMatching(/New alert \(high, link removed\) about \S+ → \S+\. The link is gone /),
		expect.stringMatching(/New offer: \S+ offers a link to \S+ .*“.+”\.$/),
	]);
	await press(page, 'Raise alert');
	await press(page, '50 new offers');
	await getMessage(page, '50 new offers');
	await press(page, 'Run out of credits');
	await getMessage(page, 'The balance is now 0 credits');
	expect(sandbox.books.watchdogEvents()[0]).toMatchObject({ severity: 'high' });
	expect(sandbox.books.balance()).toBe(0);
});

test('takes an offer through its states, and escapes text from partners', async () => {
	const { page, sandbox } = await open({ credits: 1000 });
	const { id } = sandbox.requestOffer({ anchor: '<b>bold</b>', cost: 7.5 });
	await go(page, 'Offers');
	await page.getByRole('cell', { name: '<b>bold</b>' }).waitFor();
	// The price shows when the offer is accepted.
	await inRow(page, id, '–');
	for (const [name, status] of [
		['Accept', 'accepted'],
		['Publish', 'live'],
		['Break link', 'broken'],
		['Publish again', 'live'],
	] as const) {
		await press(page, `${name}: ${id}`);
		await inRow(page, id, new RegExp(`^${status}$`));
		await inRow(page, id, '7.5');
		expect(sandbox.books.exchange(id).status).toBe(status);
	}
});

test('creates an offer for the chosen site', async () => {
	const { page, sandbox } = await open({ seed: 'demo' });
	const site = 'https://small-budget.example';
	await go(page, 'Offers');
	await field(page, 'Your site').selectOption(site);
	await press(page, 'New offer');
	await getMessage(page, 'New offer: ');
	expect(sandbox.books.exchanges().at(-1)).toMatchObject({ status: 'pending', toSite: site });
});

test('makes an exchange older by the days in the field', async () => {
	const { page, sandbox } = await open();
	const { id, createdAt } = sandbox.requestOffer();
	await go(page, 'Offers');
	await field(page, 'Make older by (days)').fill('3');
	await press(page, `Make older: ${id}`);
	await getMessage(page, 'moved back by 3 days');
	const before = createdAt - 3 * 86_400_000;
	expect(sandbox.books.exchange(id).createdAt).toBe(before);
	const date = new Date(before).toLocaleDateString('en-GB', { dateStyle: 'medium' });
	await inRow(page, id, date);
});

test('offers a link to a partner, who accepts it', async () => {
	const { page, sandbox } = await open();
	await press(page, 'Partner accepts');
	await getMessage(page, 'Offer a link to a partner first.');
	await press(page, 'Offer a link to a partner');
	await getMessage(page, 'Your offer: ');
	const [outgoing] = sandbox.books.exchanges();
	const id = outgoing?.id ?? '';
	await page.getByRole('banner').getByText('Pending offers: 0').waitFor();
	await go(page, 'Offers');
	await inRow(page, id, /^outgoing$/);
	await press(page, `Partner accepts: ${id}`);
	await inRow(page, id, /^accepted$/);
	expect(sandbox.books.balance()).toBe(100);
});

test('changes the account and the behavior of the service', async () => {
	const { page, sandbox } = await open();
	await go(page, 'Sites');
	await field(page, 'URL').fill('https://mine.example');
	await field(page, 'Niche').fill('travel');
	await press(page, 'Add site');
	await page.getByRole('row', { name: /mine\.example/ }).waitFor();
	await press(page, 'Add site');
	await getMessage(page, 'already in your account');
	await go(page, 'API Keys');
	await field(page, 'Name').fill('second key');
	await press(page, 'Create key');
	await press(page, 'Revoke: second key');
	await inRow(page, /second key/, 'revoked');
	await go(page, 'Plan');
	await field(page, 'Plan').selectOption('none');
	await press(page, 'Change plan');
	await page.getByRole('banner').getByText('No API access').waitFor();
	await go(page, 'API Variants');
	await field(page, 'pagination').selectOption('link');
	await getMessage(page, 'pagination=link');
	expect(sandbox.settings.dialect.pagination).toBe('link');
	await go(page, 'Simulated Failures');
	await field(page, 'Failure').selectOption('cut-after-commit');
	await field(page, 'Number of times').fill('3');
	await press(page, 'Turn on');
	await inRow(page, /cut-after-commit/, '3');
	await press(page, 'Turn off all failures');
	await page.getByText('No simulated failures are on.').waitFor();
	expect(sandbox.faults.list()).toEqual([]);
	await field(page, 'Failure').selectOption('answer-before-commit');
	await field(page, 'Response status').fill('403');
	await field(page, 'Response body').fill('<title>Blocked</title>');
	await press(page, 'Turn on');
	await page.getByRole('row', { name: /answer-before-commit/ }).waitFor();
	const refused = await fetch(`${sandbox.baseUrl}/sites`);
	expect([refused.status, await refused.text()]).toEqual([403, '<title>Blocked</title>']);
});

test('sends events to a trigger with a click, and shows the response to a test event', async () => {
	const receiver = await openReceiver();
	const known: string[] = [];
	const trigger = {
		workflow: 'My workflow',
		trigger: 'Backlink Exchange Webhook Trigger',
		isPublished: true,
		productionUrl: receiver.url,
		testUrl: `${receiver.url}-test`,
	};
	const draft = { ...trigger, workflow: 'My draft', isPublished: false };
	const { page, sandbox } = await open({
		receiver: {
			triggers: () => [trigger, { ...draft, productionUrl: `${receiver.url}-draft` }],
			setSecret: (taken) => Promise.resolve(void known.push(taken)),
		},
	});
	await go(page, 'Webhooks');
	await page.getByText('No URL yet.').waitFor();
	const choose = (name: string) =>
		page.getByRole('button', { name: `Send events here: production URL of ${name}` });
	expect(await choose('My draft').isDisabled()).toBe(true);
	await choose('My workflow').click();
	await page.getByText('Events are sent here').waitFor();
	// The trigger gets the generated secret, only once.
	expect(known).toEqual([sandbox.settings.webhook?.secret]);
	await press(page, 'watchdog.alert');
	await page.locator('#last-delivery').getByText('delivered', { exact: true }).waitFor();
	receiver.answers.push(401);
	await press(page, 'exchange.requested');
	await page
		.locator('#last-delivery')
		.getByText(/exchange\.requested.*not delivered.*401 answer 401/)
		.waitFor();
	expect(sandbox.books.exchanges()).toEqual([]);
	await go(page, 'Deliveries');
	await press(page, 'Send again: delivery 2');
	await inRow(page, /exchange\.requested/, 'delivered');
});

test('shows emails without scripts and remote content, and opens their links in a new tab', async () => {
	const { page, sandbox } = await open();
	const remote = await openReceiver();
	const target = `${sandbox.origin}/dashboard/plan`;
	const receive = (subject: string, type: string, body: string) => {
		sandbox.receiveMail(Buffer.from(`Subject: ${subject}\r\nContent-Type: ${type}\r\n\r\n${body}`));
	};
	await go(page, 'Mail');
	await page.getByText('No emails yet.').waitFor();
	receive('First', 'text/plain', 'A <b>plain</b> text.');
	await page.getByText('First').click();
	await page.getByText('A <b>plain</b> text.').waitFor();
	const html = `<h1 id="title">Hello</h1><a href="${target}">Accept</a>
		<script>document.getElementById('title').textContent = 'changed'</script>
		<img src="${remote.url}" onerror="document.body.textContent = 'changed'">
		<meta http-equiv="refresh" content="0; url=${target}">`;
	receive('Second', 'text/html', html);
	await page.getByText('Second').click();
	expect(await page.locator('summary b').allInnerTexts()).toEqual(['Second', 'First']);
	const mail = page.frameLocator('iframe');
	await mail.getByRole('heading', { name: 'Hello' }).waitFor();
	const opening = page.context().waitForEvent('page');
	await mail.getByRole('link', { name: 'Accept' }).click();
	const opened = await opening;
	await opened.waitForURL(target);
	expect(await opened.evaluate('window.opener')).toBeNull();
	await mail.getByRole('heading', { name: 'Hello' }).waitFor();
	expect(remote.received).toEqual([]);
	// What was opened stays open when another email arrives.
	receive('Third', 'text/plain', 'The last text.');
	await page.getByText('Third').waitFor();
	expect(await page.locator('details[open] summary b').allInnerTexts()).toEqual([
		'Second',
		'First',
	]);
});

test('shows that the sandbox is gone', async () => {
	const { page, sandbox } = await open();
	await sandbox.close();
	await getMessage(page, "The sandbox doesn't respond.");
});
