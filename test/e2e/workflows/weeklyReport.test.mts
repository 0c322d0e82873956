import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { bodyOf } from './mailbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let workflow: Imported;

beforeAll(async () => {
	world = await startWorld({ credits: 100 });
	workflow = await world.editor.importWorkflow('weekly-report', {
		emailFrom: 'n8n@company.example',
		emailTo: 'team@company.example, boss@company.example',
	});
	await workflow.publish();
});

afterAll(async () => {
	await world.close();
});

/** The report that this Monday brings. */
async function monday(): Promise<{ mail: string; body: string }> {
	const before = world.mailbox.mails.length;
	expect(await workflow.execute('Every Monday')).toMatchObject({ status: 'success' });
	expect(world.mailbox.mails).toHaveLength(before + 1);
	const mail = world.mailbox.mails.at(-1) ?? '';
	return { mail, body: bodyOf(mail) };
}

/** The widths of the bars, in pixels, by state. */
function bars(body: string): Record<string, number> {
	const rows = body.matchAll(/<tr><td>(\w+)<\/td><td>\d+<\/td><td><div [^>]*width:(\d+)px/g);
	return Object.fromEntries([...rows].map(([, state = '', width]) => [state, Number(width)]));
}

it('has something to say of an account without exchanges', async () => {
	const { mail, body } = await monday();
	expect(mail).toContain('From: n8n@company.example');
	expect(mail).toContain('To: team@company.example, boss@company.example');
	expect(body).toContain('all until now');
	expect(body).toContain('<td>earned</td><td>100</td>');
	expect(body).toContain('<td>spent</td><td>0</td>');
	expect(body).toContain('<p>None.</p>');
	expect(bars(body)).toEqual({ pending: 0, accepted: 0, live: 0, broken: 0 });
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

	const { mail, body } = await monday();
	expect(mail).toContain('Subject: Link exchange: 20 credits earned, 15 spent');
	expect(body).toMatch(/since \d{4}-\d{2}-\d{2}/);
	expect(body).toContain('<td>left</td><td>105</td>');
	expect(bars(body)).toEqual({ pending: 200, accepted: 100, live: 0, broken: 100 });
	expect(body).toContain(
		`<td>${broken.id}</td><td>https://partner.example/&lt;b&gt;</td><td>https://partner.example/post?a=1&amp;b=2</td>`,
	);
});

it('begins where the last report that arrived ended', async () => {
	const { sandbox, mailbox } = world;
	mailbox.refusing = true;
	sandbox.setCredits(110);
	expect(await workflow.execute('Every Monday')).toMatchObject({
		status: 'error',
		lastNode: 'Send report',
	});
	mailbox.refusing = false;
	sandbox.setCredits(113);
	const { mail } = await monday();
	expect(mail).toContain('Subject: Link exchange: 8 credits earned, 0 spent');
	const { mail: next } = await monday();
	expect(next).toContain('Subject: Link exchange: 0 credits earned, 0 spent');
});

it('sends no report with wrong figures when the service does not answer', async () => {
	world.sandbox.setPlan('none');
	const before = world.mailbox.mails.length;
	expect(await workflow.execute('Every Monday')).toMatchObject({
		status: 'error',
		lastNode: 'Credits',
	});
	expect(world.mailbox.mails).toHaveLength(before);
	world.sandbox.setPlan('pro');
});
