/**
 * Accept by rating: accepts only offers of partners whose own rating is high enough, and reports
 * those without a rating in the same message.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest';

import type { Imported } from './editor.mts';
import { useWorld } from './environment.mts';
import { getBody, getSubject } from './mailbox.mts';
import { PageRank } from './pageRank.mts';

const pageRank = new PageRank();
const world = useWorld({
	hosts: {
		'openpagerank.com': (routes) => {
			pageRank.addRoutes(routes);
		},
	},
});

beforeAll(async () => {
	await world.editor.addCredential('httpHeaderAuth', { name: 'API-OPR', value: 'the key' });
	// Without sites of the account, every offer counts as one of a partner.
	world.sandbox.addSite({ url: 'https://your-site.example', niche: 'tea' });
});

beforeEach(() => {
	pageRank.reset();
});

/** The change with which a user turns the dry run off. */
const live = {
	'Accept offer': {
		resource: 'exchange',
		operation: 'accept',
		exchangeId: { __rl: true, mode: 'id', value: '={{ $json.exchangeId }}' },
		dryRun: false,
		options: { maxAccepts: 5 },
	},
};

/** Requests an offer. */
const offer = (fromSite: string) =>
	world.sandbox.requestOffer({
		fromSite,
		toSite: 'https://your-site.example',
		anchor: 'tea',
		cost: 1,
	}).id;

/** Imports the workflow for a user who has turned the dry run off, and executes it. */
async function run(switched: object = {}): Promise<{ status: string; workflow: Imported }> {
	const workflow = await world.editor.importWorkflow('accept-by-rating', live, switched);
	return { status: (await workflow.execute('Every morning')).status, workflow };
}

const isAccepted = (id: string) => world.sandbox.books.acceptCount(id) === 1;

/** Returns the lines of the only message. */
function lines(): string[] {
	expect(world.slack.messages).toHaveLength(1);
	return world.slack.messages[0]?.text.split('\n') ?? [];
}

test('accepts nothing as imported, and shows what it would accept', async () => {
	pageRank.ratings.set('good.example', 7);
	const id = offer('https://good.example');
	const workflow = await world.editor.importWorkflow('accept-by-rating');
	expect((await workflow.execute('Every morning')).status).toBe('success');
	expect(lines()).toEqual([expect.stringMatching(/^Would accept \(dry run\): .*good\.example/)]);
	expect(isAccepted(id)).toBe(false);
	expect(pageRank.key).toBe('the key');
});

test('accepts each offer by the rating of its own partner', async () => {
	pageRank.ratings.set('good.example', 3).set('low.example', 2.99).set('blog.sub.example', 4.5);
	const accepted = [
		'https://good.example',
		// Another offer of the same partner.
		'HTTPS://GOOD.example/page?x=1#top',
		'www.good.example',
		'https://www.blog.sub.example:8080/a/b',
	].map(offer);
	const low = offer('https://low.example');
	const unknown = [
		'https://unknown.example',
		// Only its subdomain has a rating.
		'https://sub.example',
		'https://other.blog.sub.example',
		// No domain can be read.
		'site_77',
		'https://bücher.example/',
	].map(offer);
	const { status } = await run();
	expect(status).toBe('success');
	expect(accepted.map(isAccepted)).toEqual([true, true, true, true]);
	expect([low, ...unknown].map(isAccepted)).toEqual(Array(6).fill(false));
	expect(lines()).toHaveLength(9);
	for (const id of unknown) {
		expect(lines().filter((line) => line.startsWith('Needs review: '))).toContainEqual(
			expect.stringContaining(`(ID: “${id}”)`),
		);
	}
	expect(lines().join()).not.toContain('low.example');
	expect(pageRank.domains).toEqual(
		expect.arrayContaining(['good.example', 'blog.sub.example', 'unknown.invalid']),
	);
	expect(pageRank.domains).toHaveLength(10);
});

test("doesn't accept an offer by the rating of another domain", async () => {
	pageRank.ratings.set('host.example', 9);
	pageRank.parent = 'host.example';
	const id = offer('https://spam.host.example');
	await run();
	expect(isAccepted(id)).toBe(false);
	expect(lines()).toEqual([expect.stringContaining(id)]);
});

test('sends one message for 50 offers, half of them rated', async () => {
	const offers = Array.from({ length: 50 }, (_, index) => {
		const isRated = index % 2 === 0;
		if (isRated) pageRank.ratings.set(`partner-${index}.example`, 5);
		return { id: offer(`https://partner-${index}.example`), isRated };
	});
	const rated = offers.filter((each) => each.isRated).map(({ id }) => id);
	const unrated = offers.filter((each) => !each.isRated).map(({ id }) => id);
	expect((await run()).status).toBe('success');
	expect(rated.filter(isAccepted)).toHaveLength(5);
	expect(unrated.filter(isAccepted)).toEqual([]);
	expect(lines()).toHaveLength(21);
	expect(lines().join('\n').length).toBeLessThanOrEqual(3500);
	// Each line is about the offer whose ID it contains.
	const listed = unrated.filter((id) => lines().some((line) => line.includes(`“${id}”`)));
	expect(listed).toHaveLength(15);
	for (const id of listed) {
		const { fromSite } = world.sandbox.books.exchange(id);
		const line = lines().find((each) => each.includes(`“${id}”`));
		expect(line).toContain(`: the offer ${fromSite.replace('https://', '')} → your-site.example.`);
	}
	expect(lines().at(-1)).toBe('and 10 more');
	expect(lines().filter((line) => line.startsWith('Accepted: '))).toHaveLength(5);
});

test('sends one email instead, with the number of lines in the subject', async () => {
	pageRank.ratings.set('good.example', 7);
	offer('https://good.example');
	offer('https://unknown.example');
	await run({ activate: ['Send by email'], deactivate: ['Send to Slack'] });
	expect(world.slack.messages).toEqual([]);
	expect(world.mailbox.mails).toHaveLength(1);
	expect(getSubject(world.mailbox.mails[0])).toBe('Offers by rating: 2 in this report');
	expect(getBody(world.mailbox.mails[0]).trim().split('\n')).toHaveLength(2);
});

test('sends nothing if no offer is pending, or all are rated lower', async () => {
	expect((await run()).status).toBe('success');
	pageRank.ratings.set('low.example', 1);
	const id = offer('https://low.example');
	expect((await run()).status).toBe('success');
	expect(isAccepted(id)).toBe(false);
	expect(world.slack.messages).toEqual([]);
});

test.each([
	[500, 'application/json', '{"error":"Internal"}'],
	[429, 'application/json', '{"error":"Too many requests"}'],
	[403, 'text/html', '<h1>Forbidden</h1>'],
	[200, 'text/html', '<h1>Maintenance</h1>'],
])('a lookup that responds %i (%s) stops the run, and accepts nothing', async (...failure) => {
	const [status, type, body] = failure;
	pageRank.ratings.set('good.example', 7);
	const ids = [offer('https://good.example'), offer('https://fails.example')];
	pageRank.failures.set('fails.example', { status, type, body });
	expect((await run()).status).toBe('error');
	expect(ids.map(isAccepted)).toEqual([false, false]);
	expect(world.slack.messages).toEqual([]);
});

test.each([
	'{}',
	'{"response":[]}',
	'{"status_code":200,"response":[{"status_code":200}]}',
	'null',
])('accepts nothing by the response %s', async (body) => {
	const id = offer('https://good.example');
	pageRank.failures.set('good.example', { status: 200, type: 'application/json', body });
	await run();
	expect(isAccepted(id)).toBe(false);
});

test('reports the rest if accepting one offer fails', async () => {
	pageRank.ratings.set('good.example', 7).set('fine.example', 7);
	const ids = [offer('https://good.example'), offer('https://fine.example')];
	world.sandbox.addFault({
		kind: 'answer-before-commit',
		method: 'POST',
		status: 409,
		body: '{"error":{"code":"conflict","message":"Not now"}}',
		times: 1,
	});
	expect((await run()).status).toBe('success');
	expect(ids.filter(isAccepted)).toHaveLength(1);
	expect(lines()).toHaveLength(2);
});
