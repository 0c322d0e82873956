import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { startSandbox } from '../../../sandbox/sandbox.mts';
import type { Imported } from './editor.mts';
import { bodyOf } from './mailbox.mts';
import { emailTo, forget, importTell, slackChannel } from './outbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let tell: Imported;
let workflow: Imported;

beforeAll(async () => {
	world = await startWorld({ credits: 100 });
	tell = await importTell(world, `${slackChannel}, ${emailTo}`);
	workflow = await world.editor.importWorkflow('weekly-report');
	await workflow.publish();
});

afterAll(async () => {
	await world.close();
});

beforeEach(() => {
	world.mailbox.refusing = false;
	world.mailbox.mails.length = 0;
	world.slack.messages.length = 0;
});

/** The reports that come by email when this workflow runs. */
async function report(from = workflow): Promise<string[]> {
	expect(await from.execute('Every Monday')).toMatchObject({ status: 'success' });
	await tell.execute('Every minute');
	return world.mailbox.mails.splice(0).map(bodyOf);
}

it('has something to say of an account without exchanges, in Slack and by email', async () => {
	const [body] = await report();
	expect(body).toContain('100 credits earned, 0 spent, 100 left (all until now)');
	expect(world.slack.messages).toHaveLength(1);
	expect(world.slack.messages[0]?.text.split('\n')).toEqual(
		[
			'Weekly report',
			'100 credits earned, 0 spent, 100 left (all until now)',
			'    pending: " 0"',
			'    accepted: " 0"',
			'    live: " 0"',
			'    broken: " 0"',
			'    broken links: 0',
		].map((line) => line.replace('" ', '"')),
	);
});

it('counts what was earned and spent since the last report, exchanges by state, and broken links', async () => {
	const { sandbox } = world;
	sandbox.requestOffer();
	sandbox.requestOffer();
	sandbox.accept(sandbox.requestOffer({ cost: 7 }).id);
	const broken = sandbox.requestOffer({ cost: 8, fromSite: 'https://partner.example/<b>' });
	sandbox.accept(broken.id);
	sandbox.publish(broken.id, 'https://partner.example/post?a=1&b=2');
	sandbox.breakLink(broken.id);
	sandbox.setCredits(105);

	const [body] = await report();
	expect(body).toMatch(/20 credits earned, 15 spent, 105 left \(since \d{4}-\d{2}-\d{2}\)/);
	expect(body).toContain('pending: "████████████████████ 2"');
	expect(body).toContain('accepted: "██████████ 1"');
	expect(body).toContain(
		`${broken.id}: "from https://partner.example/&lt;b&gt;, was at https://partner.example/post?a=1&amp;b=2"`,
	);
});

it('tells a report that did not arrive, and begins the next where that one ended', async () => {
	const { sandbox, mailbox } = world;
	mailbox.refusing = true;
	sandbox.setCredits(110);
	expect(await report()).toEqual([]);
	mailbox.refusing = false;
	sandbox.setCredits(113);
	const bodies = (await report()).join('\n');
	expect(bodies).toContain('5 credits earned, 0 spent');
	expect(bodies).toContain('3 credits earned, 0 spent');
	expect((await report()).join('\n')).toContain('0 credits earned, 0 spent');
});

it('writes no report with wrong figures when the service does not answer', async () => {
	world.sandbox.setPlan('none');
	expect(await workflow.execute('Every Monday')).toMatchObject({
		status: 'error',
		lastNode: 'Credits',
	});
	await tell.execute('Every minute');
	expect(world.mailbox.mails).toEqual([]);
	world.sandbox.setPlan('pro');
});

it('tells one report when two runs meet', async () => {
	const second = workflow.executions().length + 1;
	world.sandbox.addFault({ kind: 'delay-before-commit', times: 4, milliseconds: 500 });
	await Promise.all([workflow.execute('Every Monday'), workflow.execute('Every Monday')]);
	await workflow.finished(second);
	world.sandbox.clearFaults();
	await tell.execute('Every minute');
	expect(world.mailbox.mails).toHaveLength(1);
});

it('keeps the accounts of two copies apart', async () => {
	await forget(world);
	await report();
	const other = await startSandbox({ credits: 7 });
	try {
		const { baseUrl, apiKey } = other;
		const own = { baseUrl: world.sandbox.baseUrl, apiKey: world.sandbox.apiKey };
		await world.editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey });
		const copy = await world.editor.importWorkflow('weekly-report');
		await world.editor.addCredential('backlinkExchangeApi', own);
		expect(await report(copy)).toEqual([
			expect.stringContaining('7 credits earned, 0 spent, 7 left (all until now)'),
		]);
		expect(await report()).toEqual([expect.stringContaining('0 credits earned, 0 spent')]);
	} finally {
		await other.close();
	}
});
