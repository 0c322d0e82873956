import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { forget, importTell, news, slackChannel, tellSlack, write } from './outbox.mts';
import { startWorld, type World } from './world.mts';

const trigger = 'Schedule';
let world: World;
let tell: Imported;

beforeAll(async () => {
	world = await startWorld({ credits: 100, limits: { perMinute: 100_000 } });
	tell = await importTell(world);
	await tell.execute('Every minute');
});

afterAll(async () => {
	await world.close();
});

beforeEach(async () => {
	world.slack.messages.length = 0;
	world.slack.state = 'up';
	world.sandbox.clearFaults();
	world.sandbox.setCredits(1000);
	for (const { id } of world.sandbox.books.exchanges('pending')) world.sandbox.accept(id);
	world.sandbox.setCredits(100);
	await forget(world);
});

/** The workflow as it accepts from everybody. */
const trusting = { dryRun: false, allowedPartners: '*', refusedAnchorWords: '' };

async function importFlow(settings: Record<string, unknown> = trusting): Promise<Imported> {
	return await world.editor.importWorkflow('scheduled-auto-accept', settings);
}

/** The lines of what Slack is told, without the name of the workflow. */
async function told(): Promise<string[]> {
	const messages = await tellSlack(world, tell);
	return messages.flatMap((text) => text.split('\n').slice(1));
}

it('can be published right after its import, and accepts nothing but tells what it would', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({ allowedPartners: 'friend.example' });
	await workflow.publish();
	const fromSite = 'https://friend.example/';
	const toSite = 'https://mine.example/';
	const good = sandbox.requestOffer({ fromSite, toSite, anchor: 'a good read' });
	const strange = sandbox.requestOffer({ toSite });
	for (let run = 0; run < 2; run++) {
		expect((await workflow.execute(trigger)).status).toBe('success');
	}
	expect(sandbox.books.balance()).toBe(100);
	const lines = await told();
	expect(lines).toHaveLength(2);
	expect(lines).toContainEqual(
		`Would accept (dry run): exchange "${good.id}", from "friend.example", for "mine.example", anchor "a good read"`,
	);
	expect(lines).toContainEqual(
		expect.stringMatching(`Please decide: exchange "${strange.id}".*not on the list of allowed`),
	);
	expect(sandbox.books.exchange(good.id).status).toBe('pending');
});

it('tells in a dry run what the credit floor keeps back, and what a run that was killed would accept', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({ ...trusting, dryRun: true, minimumBalance: 100 });
	const offer = sandbox.requestOffer();
	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(await told()).toEqual([expect.stringContaining(`Not accepted: exchange "${offer.id}"`)]);

	const other = await importFlow({ ...trusting, dryRun: true });
	const key = `${other.id} ${offer.id} claim 0`;
	const of = { workflowId: other.id, exchange: offer.id, execution: '0' };
	await write(world, [{ ...of, key, state: 'dry run' }]);
	expect((await other.execute(trigger)).status).toBe('success');
	expect(await told()).toEqual([expect.stringContaining('Would accept (dry run): ')]);
	expect(sandbox.books.requests().filter(({ path }) => path.includes(offer.id))).toEqual([]);
});

it('accepts from nobody as long as no partner is allowed', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({ dryRun: false });
	sandbox.requestOffer();
	await workflow.execute(trigger);
	expect(sandbox.books.balance()).toBe(100);
	expect(await told()).toEqual([expect.stringContaining('Please decide')]);
});

it('accepts what the rules allow, leaves alone what they refuse, and asks for the rest, once', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({
		dryRun: false,
		ownSites: 'https://www.mine.example/blog, other.example',
		refusedAnchorWords: 'Casino',
		allowedPartners: 'friend.example',
		refusedPartners: 'spam.example',
	});
	const toSite = 'https://mine.example/';
	const fromSite = 'https://friend.example/';
	const good = sandbox.requestOffer({ fromSite, toSite, anchor: 'a good read' });
	const left = [
		sandbox.requestOffer({ fromSite, toSite, anchor: 'best CASINO here' }),
		sandbox.requestOffer({ fromSite, toSite, anchor: 'best cas\u200Bino here' }),
		sandbox.requestOffer({ fromSite: 'https://www.spam.example/a', toSite }),
	];
	const stranger = sandbox.requestOffer({ fromSite: 'https://stranger.example/', toSite });
	const foreign = sandbox.requestOffer({ fromSite, toSite: 'https://foreign.example' });

	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(sandbox.books.exchange(good.id).status).toBe('accepted');
	for (const { id } of [...left, stranger, foreign]) {
		expect(sandbox.books.exchange(id).status).toBe('pending');
	}
	const lines = await told();
	expect(lines).toHaveLength(3);
	expect(lines.join('\n')).toContain(`Accepted: exchange "${good.id}", from "friend.example"`);
	expect(lines.join('\n')).toMatch(new RegExp(`Please decide: exchange "${stranger.id}".*allowed`));
	expect(lines.join('\n')).toMatch(
		new RegExp(`Please decide: exchange "${foreign.id}".*another site`),
	);

	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(await told()).toEqual([]);
});

it('knows a partner in every way of writing its address', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({ ...trusting, refusedPartners: 'spam.example' });
	const written = [
		'spam.example',
		'https://spam.example?x=1',
		'spam.example#a',
		'http://spam.example:443/',
		'https://user@spam.example/',
		'https://user:word@spam.example:8443/a?b#c',
		'https://SPAM.example./',
		'https://www.spam.example.',
		'  https://blog.spam.example/  ',
	];
	for (const fromSite of written) sandbox.requestOffer({ fromSite });
	const other = sandbox.requestOffer({ fromSite: 'https://notspam.example/' });
	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(sandbox.books.exchanges('pending').map(({ fromSite }) => fromSite)).toEqual(written);
	expect(sandbox.books.exchange(other.id).status).toBe('accepted');
});

it('tells a subdomain from its domain when the setting says so', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({
		...trusting,
		allowedPartners: 'friend.example',
		includeSubdomains: false,
	});
	const sub = sandbox.requestOffer({ fromSite: 'https://blog.friend.example/' });
	const same = sandbox.requestOffer({ fromSite: 'https://friend.example/' });
	await workflow.execute(trigger);
	expect(sandbox.books.exchange(sub.id).status).toBe('pending');
	expect(sandbox.books.exchange(same.id).status).toBe('accepted');
});

it.each([
	['maxAccepts', 0],
	['maxAccepts', 1.5],
	['maxAccepts', '={{ "many" }}'],
	['maxAccepts', '={{ null }}'],
	['minimumBalance', -1],
	['minimumBalance', '={{ "1,000" }}'],
	['minimumBalance', '={{ undefined }}'],
	['dryRun', '={{ "no" }}'],
	['includeSubdomains', '={{ "yes" }}'],
	['refusedPartners', 'http://'],
	['allowedPartners', 'münchen.example'],
	['tell', 'link-exchange'],
])('stops before anything is spent when %s is %j', async (name, value) => {
	const { sandbox } = world;
	const workflow = await importFlow({ ...trusting, [name]: value });
	sandbox.requestOffer();
	const execution = await workflow.execute(trigger);
	expect(execution.status).toBe('error');
	expect(execution.error).toContain(name);
	expect(sandbox.books.balance()).toBe(100);
});

it('accepts so many in a run at most, the next ones in the next, and keeps the credit floor', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({ ...trusting, minimumBalance: 65, maxAccepts: 2 });
	for (let offer = 0; offer < 6; offer++) sandbox.requestOffer();
	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(sandbox.books.balance()).toBe(80);
	for (let run = 0; run < 4; run++) await workflow.execute(trigger);
	expect(sandbox.books.balance()).toBe(60);
	const lines = await told();
	expect(lines.filter((line) => line.startsWith('Accepted'))).toHaveLength(4);
	expect(lines.filter((line) => line.startsWith('Not accepted'))).toHaveLength(2);
});

it.each(['down', 'refusing'] as const)(
	'tells everything later when Slack was %s in the run that spent',
	async (state) => {
		const { sandbox, slack } = world;
		const workflow = await importFlow();
		const offer = sandbox.requestOffer();
		slack.state = state;
		expect((await workflow.execute(trigger)).status).toBe('success');
		expect(await told()).toEqual([]);
		await workflow.execute(trigger);
		slack.state = 'up';
		expect(await told()).toEqual([expect.stringContaining(`Accepted: exchange "${offer.id}"`)]);
		expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
	},
);

it('tells what was accepted although the balance cannot be read', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({ ...trusting, minimumBalance: 0 });
	const offers = [sandbox.requestOffer(), sandbox.requestOffer()];
	sandbox.addFault({ kind: 'error-before-commit', path: '/api/credits', times: 100 });
	await workflow.execute(trigger);
	const lines = await told();
	for (const { id } of offers) {
		const spent = sandbox.books.acceptsOf(id);
		expect(spent).toBeLessThan(2);
		expect(lines.some((line) => line.includes(id))).toBe(true);
		expect(lines.some((line) => line.startsWith(`Accepted: exchange "${id}"`))).toBe(spent === 1);
	}
});

it('tells that the credits do not suffice, once for each reason, accepts it when they do, and shows the failure', async () => {
	const { sandbox } = world;
	const workflow = await importFlow({ ...trusting, minimumBalance: 0 });
	sandbox.setCredits(15);
	const dear = sandbox.requestOffer({ cost: 20 });
	const cheap = sandbox.requestOffer({ cost: 5 });
	const execution = await workflow.execute(trigger);
	expect(execution).toMatchObject({ status: 'error', lastNode: 'Show failures' });
	expect(execution.error).toContain(dear.id);
	expect(sandbox.books.exchange(cheap.id).status).toBe('accepted');
	const first = await told();
	expect(first).toHaveLength(2);
	expect(first.join('\n')).toMatch(new RegExp(`Failed: exchange "${dear.id}".*20.*1[05]`));

	// With fewer credits it is another failure of the same offer.
	sandbox.setCredits(7);
	await workflow.execute(trigger);
	await workflow.execute(trigger);
	expect(await told()).toEqual([expect.stringMatching(`Failed: exchange "${dear.id}".*20.*7`)]);

	sandbox.setCredits(100);
	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(await told()).toEqual([expect.stringContaining(`Accepted: exchange "${dear.id}"`)]);
	expect(sandbox.books.acceptsOf(dear.id)).toBe(1);
});

it('tells of each of a hundred offers', async () => {
	const { sandbox } = world;
	sandbox.setCredits(5000);
	const workflow = await importFlow({ ...trusting, maxAccepts: 60 });
	const offers = Array.from({ length: 100 }, (_, index) =>
		sandbox.requestOffer({ anchor: index < 60 ? 'a good read' : '' }),
	);
	const strict = await importFlow({ ...trusting, refusedAnchorWords: 'casino', maxAccepts: 60 });
	await strict.execute(trigger);
	const lines = await told();
	for (const { id } of offers) expect(lines.filter((line) => line.includes(id))).toHaveLength(1);
	await workflow.execute(trigger);
	expect(await told()).toHaveLength(40);
});

it('asks the service to accept an offer once when two runs meet, though it would charge twice', async () => {
	const { sandbox } = world;
	const dialect = sandbox.dialect();
	sandbox.setDialect({ acceptAgain: '200-charged-again' });
	const workflow = await importFlow();
	const offers = [sandbox.requestOffer(), sandbox.requestOffer()];
	sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', times: 4, milliseconds: 1500 });
	const last = workflow.executions().length + 1;
	await Promise.all([workflow.execute(trigger), workflow.execute(trigger)]);
	await workflow.finished(last);
	sandbox.clearFaults();
	await workflow.execute(trigger);
	for (const { id } of offers) expect(sandbox.books.acceptsOf(id)).toBe(1);
	const lines = await told();
	for (const { id } of offers) {
		expect(lines.filter((line) => line.includes(id))).toEqual([
			expect.stringContaining('Accepted: '),
		]);
	}
	sandbox.setDialect(dialect);
});

it('does not accept again what may have been accepted, and tells what became of it', async () => {
	const { sandbox } = world;
	const workflow = await importFlow();
	const offer = sandbox.requestOffer();
	// Every look at the list fails after the accept: nobody can know.
	sandbox.addFault({ kind: 'cut-after-commit', method: 'POST', times: 10 });
	sandbox.addFault({ kind: 'error-before-commit', path: '/api/exchanges', method: 'POST' });
	await workflow.execute(trigger);
	sandbox.clearFaults();
	await workflow.execute(trigger);
	const lines = (await told()).filter((line) => line.includes(offer.id));
	expect(lines.length).toBeGreaterThan(0);
	const accepts = sandbox.books.acceptsOf(offer.id);
	expect(lines.some((line) => line.startsWith('Accepted'))).toBe(accepts === 1);
	expect(accepts).toBeLessThan(2);
});

it('keeps the accounts of two copies apart', async () => {
	const { sandbox } = world;
	const first = await importFlow({ dryRun: true, allowedPartners: '' });
	const second = await importFlow({ dryRun: true, allowedPartners: '' });
	const offer = sandbox.requestOffer();
	await first.execute(trigger);
	expect(await told()).toHaveLength(1);
	await second.execute(trigger);
	expect(await told()).toEqual([expect.stringContaining(offer.id)]);
	expect(news(world).map(({ workflowId }) => workflowId)).toEqual([first.id, second.id]);
});

it('does nothing and says nothing when there is no offer', async () => {
	const workflow = await importFlow();
	expect((await workflow.execute(trigger)).status).toBe('success');
	expect(await told()).toEqual([]);
	expect(world.slack.messages.map(({ channel }) => channel)).not.toContain(slackChannel);
});
