/** Scheduled auto-accept: by its rules, within its limits, paid once, and a person learns what is left to decide. */
import { expect, it } from 'vitest';

import { type Imported, output } from './editor.mts';
import { useTrap } from './kill.mts';
import { useWorld } from './world.mts';

const world = useWorld();
const trap = useTrap(world);

const rules = 'Accept by rules';
const accepting = {
	resource: 'exchange',
	operation: 'acceptMany',
	acceptFrom: 'anyone',
	dryRun: false,
	options: { maxAccepts: 5, refusedAnchorWords: 'casino', return: 'needsPerson' },
};

/** The workflow as somebody uses it who accepts of anyone. */
async function autoAccept(changed: object = {}): Promise<Imported> {
	return await world.editor.importWorkflow('scheduled-auto-accept', {
		[rules]: { ...accepting, ...changed },
	});
}

const messages = () => world.slack.messages.map(({ text }) => text);
const accepts = (ids: string[]) => ids.map((id) => world.sandbox.books.acceptsOf(id));
/** Of what needs a person. */
const outcomes = async (workflow: Imported) =>
	output(await workflow.execute('Every hour'), rules).map(({ outcome }) => outcome);

it.each([
	['as it comes', undefined, 'undecided', /Allowed Partners is empty/],
	['in dry run', { dryRun: true }, 'wouldAccept', /^Would accept \(dry run\) partner\.example →/],
])('%s, accepts nothing, and says what a person has to know', async (_, changed, outcome, said) => {
	const { id } = world.sandbox.requestOffer({
		fromSite: 'https://partner.example',
		anchor: 'green tea',
	});
	const workflow = changed
		? await autoAccept(changed)
		: await world.editor.importWorkflow('scheduled-auto-accept');
	expect(await outcomes(workflow)).toEqual([outcome]);
	expect(messages()).toEqual([expect.stringMatching(said)]);
	expect(accepts([id])).toEqual([0]);
});

it('accepts what the rules allow, and sends a person only what is left', async () => {
	const good = world.sandbox.requestOffer({ anchor: 'green tea' });
	const refused = world.sandbox.requestOffer({ anchor: 'best casino' });
	const nameless = world.sandbox.requestOffer({ anchor: '' });
	const workflow = await autoAccept();
	expect(await outcomes(workflow)).toEqual(['undecided']);
	expect(accepts([good.id, refused.id, nameless.id])).toEqual([1, 0, 0]);
	expect(messages()).toEqual([expect.stringContaining('anchor text cannot be read')]);
});

it('says that the credits do not suffice, and goes on when they do', async () => {
	world.sandbox.setCredits(5);
	const { id } = world.sandbox.requestOffer({ cost: 10 });
	const workflow = await autoAccept();
	expect(await outcomes(workflow)).toEqual(['failed']);
	expect(messages()).toEqual([expect.stringContaining('credits')]);
	world.sandbox.setCredits(100);
	expect(await outcomes(workflow)).toEqual([]);
	expect(accepts([id])).toEqual([1]);
});

it.each([
	['GET', '/api/exchanges'],
	['POST', '/api/exchanges'],
])(
	'503 at each %s %s of a run: nothing is claimed, and the next run goes on',
	async (method, path) => {
		world.sandbox.setDialect({ acceptAgain: '200-charged-again' });
		const ids = [world.sandbox.requestOffer().id, world.sandbox.requestOffer().id];
		const workflow = await autoAccept();
		world.sandbox.addFault({ kind: 'error-before-commit', method, path, times: 1000 });
		const broken = await workflow.execute('Every hour');
		world.sandbox.clearFaults();
		if (method === 'GET') expect(broken.status).toBe('error');
		else expect(messages()).toContainEqual(expect.stringContaining('may still be spent'));
		expect(accepts(ids)).toEqual([0, 0]);
		await world.clock.pass(61_000);
		await workflow.execute('Every hour');
		expect(accepts(ids)).toEqual([1, 1]);
	},
);

it('two runs at once pay once', async () => {
	world.sandbox.setDialect({ acceptAgain: '200-charged-again' });
	const ids = Array.from({ length: 4 }, () => world.sandbox.requestOffer({ cost: 1 }).id);
	world.sandbox.addFault({
		kind: 'delay-after-commit',
		method: 'POST',
		times: 8,
		milliseconds: 500,
	});
	const workflow = await autoAccept();
	await workflow.start('Every hour');
	await workflow.start('Every hour');
	await workflow.finished(1);
	expect(accepts(ids)).toEqual([1, 1, 1, 1]);
});

it('when Slack is down the run fails, and what was accepted stays accepted', async () => {
	world.slack.state = 'down';
	const good = world.sandbox.requestOffer({ anchor: 'green tea' });
	world.sandbox.requestOffer({ anchor: '' });
	const execution = await (await autoAccept()).execute('Every hour');
	expect(execution.status).toBe('error');
	expect(accepts([good.id])).toEqual([1]);
});

// Between the request and its answer: queueMode.test.mts.
it.each(['Every hour', rules])(
	'n8n killed (-9) after "%s": paid once, and the next run decides about the rest',
	async (node) => {
		world.sandbox.setDialect({ acceptAgain: '200-charged-again' });
		const ids = [world.sandbox.requestOffer().id, world.sandbox.requestOffer().id];
		world.sandbox.requestOffer({ anchor: '' });
		const workflow = await autoAccept();
		await trap.behind(node, workflow);
		await workflow.start('Every hour');
		await trap.restart();
		expect(await workflow.execute('Every hour')).toMatchObject({ status: 'success' });
		expect(accepts(ids)).toEqual([1, 1]);
		expect(messages()).toEqual([expect.stringContaining('anchor text cannot be read')]);
	},
	400_000,
);
