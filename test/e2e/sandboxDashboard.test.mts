/** The dashboard in a real browser: every button does what it says, with a keyboard and on a phone too. */
import type { Browser, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';

import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.mts';
import { ask, openReceiver, openSandbox, secret } from '../sandbox/harness.mts';
import { useBrowser } from './browser.mts';
import { field, go, press } from './dashboardPage.mts';

let browser: Browser;
useBrowser(async (launched) => {
	browser = await Promise.resolve(launched);
});

/** A page of a sandbox, which fails the test when a script of it does. */
async function open(
	options: SandboxOptions = {},
	width = 1280,
): Promise<{ page: Page; sandbox: Sandbox }> {
	const sandbox = await openSandbox(options);
	const context = await browser.newContext({ viewport: { width, height: 800 } });
	const page = await context.newPage();
	const failures: string[] = [];
	page.on('pageerror', (error) => failures.push(error.message));
	page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
	onTestFinished(async () => {
		await context.close();
		expect(failures.filter((failure) => !failure.startsWith('Failed to load resource'))).toEqual(
			[],
		);
	});
	await page.goto(sandbox.origin);
	await page.getByText('Base URL', { exact: true }).waitFor();
	return { page, sandbox };
}

const inRow = (page: Page, name: string | RegExp, text: string | RegExp) =>
	page.getByRole('row', { name }).getByText(text).waitFor();
const said = (page: Page, message: string) =>
	page.getByRole('status').filter({ hasText: message }).waitFor();

it('shows what goes into the credential, makes offers, one or 50, and takes one through its states', async () => {
	const { page, sandbox } = await open({ credits: 1000 });
	await page.getByText(sandbox.baseUrl).waitFor();
	await page.getByText(sandbox.apiKey).first().waitFor();
	await press(page, 'New offer');
	await said(page, 'A new offer has come in.');
	const id = sandbox.books.exchanges()[0]?.id ?? '';
	await go(page, 'Offers');
	for (const [name, status] of [
		['Accept', 'accepted'],
		['Publish', 'live'],
		['Break link', 'broken'],
		['Publish again', 'live'],
	] as const) {
		await press(page, `${name}: ${id}`);
		await inRow(page, id, new RegExp(`^${status}$`));
		expect(sandbox.books.exchange(id).status).toBe(status);
	}
	await go(page, 'Start');
	await press(page, '50 new offers');
	await said(page, '50 new offers have come in.');
	expect(sandbox.books.exchanges()).toHaveLength(51);
});

it('changes the account: its credits, alerts, sites, API keys and plan', async () => {
	const { page, sandbox } = await open();
	await go(page, 'Credits');
	await press(page, 'Run out of credits');
	await said(page, 'There are no credits left.');
	await inRow(page, /Adjustment/, '-100');
	expect(sandbox.books.balance()).toBe(0);
	await field(page, 'Set the balance to').fill('7');
	await press(page, 'Set balance');
	await said(page, 'The balance is set.');
	expect(sandbox.books.balance()).toBe(7);

	sandbox.requestOffer({ id: 'first' });
	sandbox.requestOffer({ id: 'second' });
	await go(page, 'Watchdog');
	await field(page, 'Exchange').selectOption('first');
	await field(page, 'Severity').selectOption('critical');
	await field(page, 'Detail').fill('<b>gone</b>');
	await press(page, 'Raise alert');
	await said(page, 'The alert is raised.');
	await page.getByRole('cell', { name: '<b>gone</b>' }).waitFor();
	expect(sandbox.books.watchdogEvents()).toMatchObject([
		{ exchangeId: 'first', severity: 'critical', detail: '<b>gone</b>' },
	]);

	await go(page, 'Sites');
	await field(page, 'URL').fill('https://mine.example');
	await field(page, 'Niche').fill('travel');
	await press(page, 'Add site');
	await page.getByRole('row', { name: /mine\.example/ }).waitFor();
	await press(page, 'Add site');
	await said(page, 'This site is in your account already');
	expect(sandbox.books.sites().filter(({ url }) => url.includes('mine'))).toHaveLength(1);

	await go(page, 'API Keys');
	await field(page, 'Name').fill('second key');
	await press(page, 'Create key');
	await press(page, 'Revoke: second key');
	await inRow(page, /second key/, 'revoked');
	expect((await ask(sandbox, 'GET /sites')).status).toBe(200);

	await go(page, 'Plan');
	await field(page, 'Plan').selectOption('none');
	await press(page, 'Change plan');
	await said(page, 'The plan is changed.');
	await page.getByRole('banner').getByText('No API access').waitFor();
});

it('changes how the service behaves: its dialect and faults', async () => {
	const { page, sandbox } = await open();
	await go(page, 'Dialect');
	await field(page, 'Named dialect').selectOption('enveloped');
	await press(page, 'Use it');
	await said(page, 'The dialect is changed.');
	await field(page, 'Pages').selectOption('link');
	await said(page, 'Pages: now link.');
	await field(page, 'Records per page').fill('7');
	await page.keyboard.press('Tab');
	await said(page, 'Records per page: now 7.');
	expect(sandbox.dialect()).toMatchObject({ listShape: 'data', pagination: 'link', pageSize: 7 });
	await go(page, 'Faults');
	await field(page, 'Fault').selectOption('cut-after-commit');
	await page
		.getByText('The request is carried out, and the connection breaks before the answer.')
		.waitFor();
	await field(page, 'Times').fill('3');
	await press(page, 'Switch on');
	await page.getByRole('row', { name: /Connection lost after/ }).waitFor();
	expect(sandbox.faults()).toMatchObject([{ kind: 'cut-after-commit', times: 3 }]);
	await press(page, 'Switch all faults off');
	await page.getByText('No fault is on.').waitFor();
	expect(sandbox.faults()).toEqual([]);
});

it('started alone, says what is missing, and offers to copy only what is there', async () => {
	const receiver = await openReceiver();
	const { page, sandbox } = await open();
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	const copies = () => page.getByRole('button', { name: /^Copy/ });
	const copied = () => page.evaluate('navigator.clipboard.readText()');
	await go(page, 'Webhooks');
	await page.getByText('There is no URL to send it to yet. Set one below.').waitFor();
	expect(await page.getByRole('button', { name: 'watchdog.alert' }).isDisabled()).toBe(true);
	expect(await copies().count()).toBe(0);
	expect(await page.getByText('Webhook Secret').isVisible()).toBe(false);

	await field(page, 'URL').fill(receiver.url);
	await press(page, 'Save webhook');
	await page.getByText('It goes out at once').waitFor();
	expect(await page.getByText('Webhook Secret').isVisible()).toBe(true);
	expect(await page.getByText('playground').isVisible()).toBe(false);
	await press(page, 'Copy secret');
	await said(page, 'Copied.');
	expect(await copied()).toBe(sandbox.webhook()?.secret);

	await go(page, 'Start');
	await press(page, 'Copy API key');
	await said(page, 'Copied.');
	expect(await copied()).toBe(sandbox.apiKey);
	await go(page, 'API Keys');
	await press(page, /^Revoke: /);
	await said(page, 'The key is revoked.');
	await go(page, 'Start');
	await page.getByText('none: create one under API Keys').waitFor();
	expect(await copies().allInnerTexts()).toEqual(['Copy base URL']);
});

it('sets the webhook, shows its secret, keeps it over another URL, and sends a delivery again', async () => {
	const receiver = await openReceiver();
	const { page, sandbox } = await open({ delivery: { backoffMilliseconds: [] } });
	receiver.answers.push(500);
	await go(page, 'Webhooks');
	await field(page, 'URL').fill(receiver.url);
	await field(page, 'New secret').fill(secret);
	await press(page, 'Save webhook');
	await said(page, 'The webhook is saved.');
	expect(await field(page, 'New secret').inputValue()).toBe('');
	await page.getByText(secret, { exact: true }).waitFor();
	await field(page, 'URL').fill(`${receiver.url}/elsewhere`);
	await press(page, 'Save webhook');
	await page.getByText(`${receiver.url}/elsewhere`, { exact: true }).waitFor();
	expect(sandbox.webhook()).toEqual({ url: `${receiver.url}/elsewhere`, secret });
	sandbox.requestOffer();
	await go(page, 'Deliveries');
	await inRow(page, /exchange\.requested/, 'given up');
	await inRow(page, /exchange\.requested/, '500 answer 500');
	await page.getByText('Show', { exact: true }).click();
	await page.getByText('"anchor": "a good read"').waitFor();
	await press(page, 'Send again: delivery 1');
	await inRow(page, /exchange\.requested/, 'delivered');
	expect(receiver.received).toHaveLength(2);
});

it('sends events to one of the triggers with a click, and shows how a test event was answered', async () => {
	const receiver = await openReceiver();
	const known: string[] = [];
	const trigger = {
		workflow: 'My workflow',
		trigger: 'Backlink Exchange Webhook Trigger',
		isPublished: true,
		productionUrl: receiver.url,
		testUrl: `${receiver.url}-test`,
	};
	const draft = {
		...trigger,
		workflow: 'My draft',
		isPublished: false,
		productionUrl: `${receiver.url}-draft`,
		testUrl: `${receiver.url}-draft-test`,
	};
	const { page, sandbox } = await open({
		receiver: {
			triggers: () => [trigger, draft],
			takeSecret: (taken) => {
				known.push(taken);
				return Promise.resolve();
			},
			watch: () => () => Promise.resolve('no signature matches'),
		},
	});
	await go(page, 'Webhooks');
	await page.getByText('Nowhere: no URL is set.').waitFor();
	expect(await page.getByRole('button', { name: 'watchdog.alert' }).isDisabled()).toBe(true);
	const ofDraft = (kind: string) =>
		page.getByRole('button', { name: `Send events here: ${kind} URL of My draft` });
	expect(await ofDraft('production').isDisabled()).toBe(true);
	expect(await ofDraft('test').isDisabled()).toBe(false);
	await press(page, 'Send events here: production URL of My workflow');
	await page.getByText('Events go here').waitFor();
	await page.getByText("The playground's has it already.").waitFor();
	expect(sandbox.webhook()?.url).toBe(receiver.url);
	// The trigger learns the secret that was made up for it, once.
	expect(known).toEqual([sandbox.webhook()?.secret]);
	for (const event of [
		'exchange.requested',
		'exchange.accepted',
		'exchange.published',
		'watchdog.alert',
	]) {
		await press(page, event);
		await page.locator('#test-answer').getByText(`Taken ${event}`).waitFor();
	}
	expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(4);
	expect(sandbox.books.exchanges()).toEqual([]);
	receiver.answers.push(401);
	await press(page, 'watchdog.alert');
	for (const text of ['Refused', '401 answer 401', 'no signature matches']) {
		await page.locator('#test-answer').getByText(text).waitFor();
	}
	// As n8n answers for a webhook that it does not know.
	const stacktrace = 'NotFoundError: …\n    at handle (webhooks.js:1:1)';
	receiver.says = () => JSON.stringify({ code: 404, message: 'It is not registered', stacktrace });
	receiver.answers.push(404);
	await press(page, 'watchdog.alert');
	await page.locator('#test-answer').getByText('404 It is not registered').waitFor();
	expect(await page.locator('#test-answer').innerText()).not.toContain('webhooks.js');
	await press(page, 'Send events here: test URL of My workflow');
	await page.getByText(trigger.testUrl).first().waitFor();
	expect(sandbox.webhook()?.url).toBe(trigger.testUrl);
	expect(known).toHaveLength(1);
});

it('can be used with the keyboard alone, and keeps the focus where it was', async () => {
	const { page, sandbox } = await open();
	const { id } = sandbox.requestOffer();
	const focused = () => page.evaluate<string>('document.activeElement.textContent');
	await page.getByText('New offer ' + id).waitFor();
	await page.keyboard.press('Tab');
	expect(await focused()).toBe('Skip to the content');
	for (const link of ['Start', 'Sites', 'Offers']) {
		await page.keyboard.press('Tab');
		expect(await focused()).toBe(link);
	}
	await page.keyboard.press('Enter');
	await page.getByRole('heading', { level: 1, name: 'Offers' }).waitFor();
	for (let step = 0; (await focused()) !== 'Accept' && step < 30; step += 1) {
		await page.keyboard.press('Tab');
	}
	// Something else happens meanwhile, and the table is drawn again.
	sandbox.requestOffer({ id: 'meanwhile' });
	await page.getByRole('row', { name: /meanwhile/ }).waitFor();
	expect(await focused()).toBe('Accept');
	await page.keyboard.press('Enter');
	await said(page, 'The offer is accepted.');
	expect(sandbox.books.exchange(id).status).toBe('accepted');
});

it.each([1280, 1200, 1024, 800, 390, 320])(
	'fits on a screen of %i pixels, with every section within reach and every ID in one piece',
	async (width) => {
		const { page, sandbox } = await open({ seed: 'demo' }, width);
		sandbox.requestOffer({
			fromSite: `https://${'long.'.repeat(30)}example/`,
			anchor: 'w'.repeat(80),
		});
		let identifiers = 0;
		const sections = page.getByRole('navigation').getByRole('link');
		for (const section of await sections.allInnerTexts()) {
			await go(page, section);
			const { wide, shown } = await page.evaluate<{ wide: number; shown: number }>(
				'({ wide: document.documentElement.scrollWidth, shown: innerWidth })',
			);
			expect([section, wide]).toEqual([section, shown]);
			const lines = await page.evaluate<number[]>(
				"[...document.querySelectorAll('section.shown .id')].map((id) => id.getClientRects().length)",
			);
			identifiers += lines.length;
			expect(lines.filter((count) => count !== 1)).toEqual([]);
		}
		expect(identifiers).toBeGreaterThan(20);
	},
);

it('says so when the sandbox is gone', async () => {
	const { page, sandbox } = await open();
	await sandbox.close();
	await said(page, 'The sandbox does not answer.');
});
