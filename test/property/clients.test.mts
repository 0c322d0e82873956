/**
 * Random accounts with the sites of 30 clients and 300 exchanges in both directions: what a client
 * receives by way of the Sites filters never names a site, a partner or an anchor of another one.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { dialectSettings } from '../../sandbox/dialects.mts';
import type { Sandbox } from '../../sandbox/sandbox.mts';
import { Poller } from '../engine/polling/poller.mts';
import { jsonOf, startTestService } from '../engine/service.mts';
import { useVirtualTime } from '../engine/virtualTime.mts';

const clock = useVirtualTime();
const minute = 60_000;
const clientCount = 30;
const exchangeCount = 300;

/** In each text about a client, and in no other. */
const tag = (client: number) => `k${client}k`;

/** Clients have their own domain, a subdomain of the agency's, or a folder on a shared host. */
const getSite = (client: number) =>
	[
		`https://${tag(client)}.example`,
		`https://${tag(client)}.agency.example`,
		`https://shared.example/${tag(client)}`,
	][client % 3] ?? '';

const stages = ['pending', 'accepted', 'live', 'broken'] as const;
const account = fc.record({
	exchanges: fc.array(
		fc.record({
			client: fc.nat(clientCount - 1),
			isOutgoing: fc.boolean(),
			isPage: fc.boolean(),
			stage: fc.constantFrom(...stages),
			alerts: fc.nat(2),
		}),
		{ minLength: exchangeCount, maxLength: exchangeCount },
	),
	exchangeList: fc.constantFrom(...dialectSettings.exchangeList.variants),
});
type Account = typeof account extends fc.Arbitrary<infer Value> ? Value : never;

const getPartner = (index: number, client: number) =>
	`https://partner-${index % 7}-of-${tag(client)}.example`;

/** Creates the offers. */
function createOffers(sandbox: Sandbox, { exchanges }: Account): void {
	for (const [index, { client, isOutgoing, isPage }] of exchanges.entries()) {
		const mine = `${getSite(client)}${isPage ? '/blog' : ''}`;
		const partner = getPartner(index, client);
		const offer = { id: `exc_${index}`, anchor: `anchor of ${tag(client)}` };
		if (isOutgoing) sandbox.offerToPartner({ ...offer, fromSite: mine, toSite: partner });
		else sandbox.requestOffer({ ...offer, fromSite: partner, toSite: mine, cost: 1 });
	}
}

/** Takes the exchanges to their stages, with alerts. */
function advance(sandbox: Sandbox, { exchanges }: Account): void {
	for (const [index, { client, isOutgoing, stage, alerts }] of exchanges.entries()) {
		const id = `exc_${index}`;
		if (stage === 'pending') continue;
		if (isOutgoing) sandbox.partnerAccepts(id);
		else sandbox.accept(id);
		if (stage === 'accepted') continue;
		sandbox.publish(id, `${getPartner(index, client)}/page`);
		for (let alert = 0; alert < alerts; alert++) {
			sandbox.alert({ exchangeId: id, detail: `Check ${alert} of ${tag(client)}` });
		}
		if (stage === 'broken') sandbox.breakLink(id);
	}
}

/** Checks that all tags in these items are the client's, and returns how many there are. */
function countOwnTags(client: number, items: unknown): number {
	const tags = [...JSON.stringify(items).matchAll(/k\d+k/g)].map(([text]) => text);
	expect(tags.filter((each) => each !== tag(client))).toEqual([]);
	return tags.length;
}

async function checkAccount(plan: Account): Promise<void> {
	const ends: Array<() => Promise<void>> = [];
	const { exchangeList } = plan;
	const { sandbox, run, acceptMany } = await startTestService(
		{ credits: 10_000, dialect: { exchangeList } },
		(end) => ends.push(end),
	);
	try {
		const clients = Array.from({ length: clientCount }, (_, client) => client);
		for (const client of clients) sandbox.addSite({ url: getSite(client), niche: 'tea' });
		const { baseUrl, apiKey } = sandbox;
		const pollers = clients.map((client) => {
			const options = client % 2 === 0 ? {} : { outputFormat: 'digest' };
			const parameters = { filters: { sites: [getSite(client)] }, options };
			return new Poller({ baseUrl, apiKey }, parameters);
		});
		for (const poller of pollers) await poller.start();
		for (const act of [createOffers, advance]) {
			await clock.wait(minute);
			act(sandbox, plan);
			for (const poller of pollers) await poller.poll();
		}
		for (const [client, { executions }] of pollers.entries()) {
			// The client's own pending offers are no events.
			const hasEvent = plan.exchanges.some(
				(each) => each.client === client && !(each.isOutgoing && each.stage === 'pending'),
			);
			expect(countOwnTags(client, executions) > 0).toBe(hasEvent);
		}

		const reports = jsonOf(
			await run('account', 'getSummary', {
				items: clients.map((client) => ({ sites: getSite(client) })),
				parameters: { filters: { sites: '={{ $json.sites }}' } },
			}),
		);
		expect(reports).toHaveLength(clientCount);
		for (const [client, report] of reports.entries()) {
			expect(countOwnTags(client, report)).toBeGreaterThan(0);
			expect(report).not.toHaveProperty('balance');
		}

		for (const client of clients) {
			const outputFormat = client % 2 === 0 ? 'digest' : 'items';
			const { decisions, hints } = await acceptMany({
				dryRun: client % 3 === 0,
				maxAccepts: 2,
				rules: { yourSites: getSite(client) },
				options: { offersToReturn: 'all', outputFormat },
			});
			const isPending = (each: Account['exchanges'][number]) =>
				each.client === client && each.stage === 'pending' && !each.isOutgoing;
			expect(countOwnTags(client, decisions) > 0).toBe(plan.exchanges.some(isPending));
			countOwnTags(client, hints);
		}
		const accepted = sandbox.books
			.requests()
			.filter(({ endpoint }) => endpoint?.endsWith('accept'));
		expect(accepted.length).toBeGreaterThan(0);
	} finally {
		for (const end of ends) await end();
	}
}

test('no client receives anything about the sites of another one', async () => {
	await fc.assert(fc.asyncProperty(account, checkAccount), { numRuns: 5, endOnFailure: true });
}, 100_000);
