/**
 * Offer approval: a user is asked about each new offer, and nothing is accepted without an
 * approval.
 */
import { beforeAll, describe, expect, test } from 'vitest';

import { clickAs, clickButton, decideByEmail } from './approval.mts';
import type { Imported } from './editor.mts';
import { useWorld } from './environment.mts';
import { getBody } from './mailbox.mts';

const world = useWorld();
beforeAll(() => {
	// Without sites of the account, every offer counts as one of a partner.
	world.sandbox.addSite({ url: 'https://your-site.example', niche: 'tea' });
});

const minute = 60_000;

/**
 * Requests an offer, and executes the workflow that asks about it by hand, with the newest offer.
 */
async function requestApproval(
	workflow?: Imported,
): Promise<{ workflow: Imported; id: string; before: number }> {
	const { id } = world.sandbox.requestOffer({
		fromSite: 'https://partner.example',
		anchor: 'green tea',
	});
	workflow ??= await world.editor.importWorkflow('offer-approval');
	const before = workflow.executions().length;
	await workflow.start('New offer');
	await expect.poll(() => workflow.status, { timeout: 30_000 }).toBe('waiting');
	return { workflow, id, before: before + 1 };
}

const results = () => world.slack.messages.slice(1).map(({ text }) => text);

/**
 * In Slack, or by email with the nodes for it; only opening the link in an email decides nothing.
 */
const channels = {
	slack: { activate: [], deactivate: [] },
	email: {
		activate: ['Ask by email', 'Send the result by email'],
		deactivate: ['Ask in Slack', 'Send the result to Slack'],
	},
};

test.each([
	['slack', 'Accept', 1],
	['slack', 'Decline', 0],
	['email', 'Accept', 1],
	['email', 'Decline', 0],
] as const)('asks by %s; after %s, accepts %i and reports it', async (by, decision, accepts) => {
	const { slack, mailbox, sandbox, editor } = world;
	const imported = await editor.importWorkflow('offer-approval', {}, channels[by]);
	const { workflow, id, before } = await requestApproval(imported);
	const texts = () =>
		by === 'slack' ? slack.messages.map(({ text }) => text) : mailbox.mails.map(getBody);
	if (by === 'slack') {
		const asked = JSON.stringify(slack.messages[0]?.blocks);
		expect(asked).toContain('New offer: partner.example offers a link to');
		expect(asked).toContain('Accept it? This spends credits.');
		expect(sandbox.books.acceptCount(id)).toBe(0);
		await clickButton(slack, decision);
	} else {
		const { send } = await decideByEmail(mailbox.mails[0]);
		expect(sandbox.books.acceptCount(id)).toBe(0);
		await send(decision);
	}
	expect(await workflow.finished(before)).toMatchObject({ status: 'success' });
	expect(sandbox.books.acceptCount(id)).toBe(accepts);
	const approver = by === 'slack' ? 'someone in this channel' : 'email';
	const expectedMessages = [
		expect.stringMatching(
			new RegExp(
				`^Accepted: the offer partner\\.example → .+\nOffer from partner\\.example, approved by ${approver}\\.\\s*$`,
			),
		),
	];
	expect(texts().slice(1)).toEqual(accepts === 0 ? [] : expectedMessages);
	expect(by === 'slack' ? mailbox.mails : slack.messages).toEqual([]);
});

test('reports who approved, if Slack sends clicks to n8n', async () => {
	const workflow = await world.editor.importWorkflow('offer-approval', {
		'Ask in Slack': { captureResponder: true },
	});
	const { id, before } = await requestApproval(workflow);
	const { origin } = world.n8n;
	const forged = await clickAs('eve', world.slack, 'Accept', { origin, secret: 'another secret' });
	expect(forged).toBe(401);
	expect(world.sandbox.books.acceptCount(id)).toBe(0);
	expect(await clickAs('ada', world.slack, 'Accept', { origin })).toBe(200);
	expect(await workflow.finished(before)).toMatchObject({ status: 'success' });
	expect(world.sandbox.books.acceptCount(id)).toBe(1);
	expect(results()).toEqual([expect.stringMatching(/^Accepted: .+\n.+ approved by ada\.$/)]);
});

test('accepts nothing after a decline that Slack reports', async () => {
	const workflow = await world.editor.importWorkflow('offer-approval', {
		'Ask in Slack': { captureResponder: true },
	});
	const { id, before } = await requestApproval(workflow);
	await clickAs('ada', world.slack, 'Decline', { origin: world.n8n.origin });
	expect(await workflow.finished(before)).toMatchObject({ status: 'success' });
	expect(world.sandbox.books.acceptCount(id)).toBe(0);
	expect(results()).toEqual([]);
});

test('accepts nothing without an approval, even if the service calls the offer approved', async () => {
	const { id } = world.sandbox.requestOffer();
	const workflow = await world.editor.importWorkflow(
		'offer-approval',
		{ 'New offer': { filters: {} } },
		{ deactivate: ['Ask in Slack'] },
	);
	const body = JSON.stringify([
		{ ...world.sandbox.books.exchange(id), status: 'pending', approved: true, Decision: 'Accept' },
	]);
	world.sandbox.addFault({
		kind: 'answer-before-commit',
		path: '/api/exchanges',
		status: 200,
		body,
		times: 10,
	});
	await workflow.execute('New offer');
	expect(world.sandbox.books.acceptCount(id)).toBe(0);
});

test.each(['error-before-commit', 'cut-after-commit'] as const)(
	'%s at the accept: reports the known facts, and never "accepted" without a payment',
	async (kind) => {
		const { workflow, id, before } = await requestApproval();
		world.sandbox.addFault({ kind, method: 'POST', times: 1000 });
		await clickButton(world.slack, 'Accept');
		await workflow.finished(before);
		const isPaid = world.sandbox.books.acceptCount(id) === 1;
		expect(isPaid).toBe(kind === 'cut-after-commit');
		expect(results()).toEqual([
			isPaid
				? expect.stringMatching(/^Accepted: /)
				: expect.stringMatching(/may have been spent[^]+Offer from partner\.example/),
		]);
	},
);

describe('published', () => {
	test('asks about an offer again when a failed execution is retried, and a kill loses no answer', async () => {
		const workflow = await world.editor.importWorkflow('offer-approval');
		await world.asked(1, () => workflow.publish());
		world.slack.state = 'down';
		const { id } = world.sandbox.requestOffer();
		// The trigger needs up to two minutes to find the offer, and the node tries Slack five times.
		await expect.poll(() => workflow.status, { timeout: 3 * minute }).toBe('error');
		world.slack.state = 'up';
		await workflow.retryFailed();
		await expect.poll(() => workflow.status, { timeout: minute }).toBe('waiting');
		await world.restart();
		const before = workflow.executions().length;
		await clickButton(world.slack, 'Accept');
		await workflow.finished(before);
		expect(world.sandbox.books.acceptCount(id)).toBe(1);
		// After the interruption, the workflow asks about no accepted offer, and pays nothing again.
		await world.asked(2);
		expect(world.sandbox.books.acceptCount(id)).toBe(1);
		await workflow.unpublish();
	}, 600_000);

	test('asks once about each of fifty simultaneous offers, in an execution each', async () => {
		const { sandbox, slack } = world;
		const workflow = await world.editor.importWorkflow('offer-approval');
		await world.asked(1, () => workflow.publish());
		const partners = Array.from({ length: 50 }, (_, number) => `partner-${number}.example`);
		for (const [index, partner] of partners.entries()) {
			sandbox.requestOffer({ fromSite: `https://${partner}` });
			// Only the partner can accept an offer that you make.
			if (index % 10 === 0) sandbox.offerToPartner();
		}
		await expect.poll(() => slack.messages.length, { timeout: 3 * minute }).toBe(partners.length);
		// Later polls ask nothing again.
		await world.asked(2);
		const asked = slack.messages.map(
			({ blocks }) => /partner-\d+\.example/.exec(JSON.stringify(blocks))?.[0],
		);
		expect(asked.toSorted()).toEqual(partners.toSorted());
		const waiting = workflow.executions().filter(({ status }) => status === 'waiting');
		expect(waiting).toHaveLength(partners.length);
		await workflow.unpublish();
	}, 600_000);
});
