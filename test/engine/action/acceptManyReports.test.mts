/** Output of Accept Many: each decision only once, offers for review, and one message per run. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test, vi } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { TestCredentials } from '../credentials.mts';
import { credentialType, processedData } from '../engine.mts';
import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	acceptEndpoint,
	acceptRequests,
	afterRestart,
	minute,
	mockExchanges,
	pending,
	published,
} from './acceptFixtures.mts';

const time = useVirtualTime();

const listed = { acceptFrom: 'listed', allowedPartners: 'tea.example' };
const digest = { options: { outputFormat: 'digest' } };

describe('Offers to Return', () => {
	test('reports each decision once per reason, ignoring numbers, across restarts', async () => {
		const service = await startTestService({ credits: 100 });
		service.sandbox.requestOffer({ anchor: 'casino' });
		const skipped = { limits: { minimumBalance: 100 } };
		const run = async (settings: object) => {
			const more = { ...published, ...afterRestart() };
			return (await service.acceptMany(settings, more)).outcomes;
		};
		service.sandbox.requestOffer();
		expect(await run(skipped)).toEqual(['blocked', 'skipped']);
		service.sandbox.setCredits(90);
		expect(await run(skipped)).toEqual([]);
		expect(await run(listed)).toEqual(['needsReview']);
		expect(await run(listed)).toEqual([]);
		expect(await run({ ...listed, options: { offersToReturn: 'all' } })).toEqual([
			'blocked',
			'needsReview',
		]);
	});

	test.each([139, 99.75, -5])('ignores a balance that changes from 140.5 to %d', async (later) => {
		const offer = pending();
		let balance = 140.5;
		const service = mockExchanges({
			list: () => [offer],
			balance: () => ({ balance, lifetime_spent: 1 }),
		});
		const run = async () =>
			(await service.acceptMany({ limits: { minimumBalance: 200 } }, published)).outcomes;
		expect(await run()).toEqual(['skipped']);
		balance = later;
		await time.wait(minute);
		expect(await run()).toEqual([]);
	});

	test('repeats an unknown outcome every run, and reports it as accepted once the list shows it', async () => {
		let status = 'pending';
		const offer = pending();
		const service = mockExchanges({
			list: () => [{ ...offer, status }],
			accept: () => [500],
		});
		const run = async () => (await service.acceptMany({}, published)).outcomes;
		expect([await run(), await run()]).toEqual([['unknown'], ['unknown']]);
		await time.wait(minute);
		status = 'accepted';
		expect(await run()).toEqual([]);
	});

	test('returns only offers for review, not accepted, skipped or blocked ones', async () => {
		const service = await startTestService({ credits: 100 });
		const from = (fromSite: string, anchor = 'tea') =>
			service.sandbox.requestOffer({ fromSite, anchor }).id;
		from('https://tea.example');
		const [unlistedPartner] = [
			from('https://other.example'),
			from('https://tea.example', 'casino'),
		];
		const settings = { ...listed, options: { offersToReturn: 'needsReview' } };
		expect((await service.acceptMany({ ...settings, dryRun: true })).outcomes).toEqual([
			'wouldAccept',
			'needsReview',
		]);
		const { decisions } = await service.acceptMany(settings, published);
		expect(decisions).toMatchObject([{ exchangeId: unlistedPartner, outcome: 'needsReview' }]);
	});

	test('reports a decision that no earlier execution returned', async () => {
		const offer = pending({ anchor: 'casino' });
		const service = mockExchanges({ list: () => [offer] });
		const onlyReview = { options: { offersToReturn: 'needsReview' } };
		expect((await service.acceptMany(onlyReview, published)).outcomes).toEqual([]);
		expect((await service.acceptMany({}, published)).outcomes).toEqual(['blocked']);
		expect((await service.acceptMany({}, published)).outcomes).toEqual([]);
	});

	test("a manual execution returns everything, and doesn't affect later reports", async () => {
		const service = await startTestService();
		service.sandbox.requestOffer({ anchor: 'casino' });
		for (const mode of ['manual', 'manual', 'trigger'] as const) {
			expect((await service.acceptMany({}, { mode })).outcomes).toEqual(['blocked']);
		}
		expect((await service.acceptMany({}, published)).outcomes).toEqual([]);
	});

	test("returns all decisions if n8n can't store deduplication data", async () => {
		const service = await startTestService();
		service.sandbox.requestOffer({ anchor: 'casino' });
		const full = new Error('SQLITE_FULL: database or disk is full');
		const record = vi.spyOn(processedData, 'checkProcessedAndRecord').mockRejectedValue(full);
		for (let run = 0; run < 2; run++) {
			expect((await service.acceptMany({}, published)).outcomes).toEqual(['blocked']);
		}
		record.mockRestore();
	});

	test('a canceled run counts no decision as reported', async () => {
		const service = await startTestService({ credits: 1000 });
		service.sandbox.requestOffer({ anchor: 'casino' });
		service.sandbox.requestOffer();
		service.sandbox.addFault({
			kind: 'delay-before-commit',
			...acceptEndpoint,
			milliseconds: 9000,
		});
		const first = await service.acceptMany({}, { ...published, cancelAfter: 2000 });
		expect(first.items).toEqual([]);
		await time.wait(minute);
		expect((await service.acceptMany({}, published)).outcomes).toEqual(['blocked']);
	});

	test('the last try reports everything if an item failed and n8n runs the node again', async () => {
		const service = await startTestService({ credits: 100 });
		const { id } = service.sandbox.requestOffer({ cost: 10 });
		const blocked = service.sandbox.requestOffer({ anchor: 'casino' });
		const { baseUrl, apiKey } = service.sandbox;
		const credentials = new TestCredentials(credentialType, {});
		credentials.valuesForItem = (index) => ({ baseUrl, apiKey: index === 0 ? 'revoked' : apiKey });
		const more = { ...published, items: [{}, {}], credentials, continueOnFail: true, maxTries: 3 };
		const { decisions } = await service.acceptMany({}, more);
		expect(decisions).toMatchObject([
			{ error: { message: errorMessages.apiKeyNotAccepted } },
			{ exchangeId: id, outcome: 'accepted', creditsSpent: 10 },
			{ exchangeId: blocked.id, outcome: 'blocked' },
		]);
		expect(acceptRequests(service).length).toBe(1);
	});
});

describe('Output Format: One Message', () => {
	const getDigest = (items: IDataObject[]) =>
		items[0] as Record<'message' | 'title', string> & { items: IDataObject[]; count: number };

	test('returns one item per run, most urgent first, and none without news', async () => {
		const service = await startTestService({ credits: 1000 });
		const from = (fromSite: string, anchor = 'tea') =>
			service.sandbox.requestOffer({ fromSite, anchor, cost: 10 }).id;
		from('https://tea.example');
		from('https://tea.example', 'casino');
		for (const each of [1, 2]) from(`https://other-${each}.example`);
		const run = async (settings: object = {}) =>
			(await service.acceptMany({ ...listed, ...digest, ...settings }, published)).decisions;
		const [dry] = await run({
			dryRun: true,
			options: { ...digest.options, offersToReturn: 'all' },
		});
		expect(dry?.title).toBe(
			'Dry run: 1 would be accepted, 2 need review, 1 blocked: your-site.example',
		);
		const first = getDigest(await run());
		expect(first.title).toBe('1 accepted, 2 need review, 1 blocked: your-site.example');
		expect([first.count, first.items.length]).toEqual([4, 4]);
		const yours = 'your-site.example';
		expect(first.message.split('\n')).toEqual([
			'1 accepted, 2 need review, 1 blocked',
			`- Accepted: tea.example → ${yours}, “tea”, 10 credits`,
			`- Needs review: other-1.example → ${yours}, “tea” (The partner isn't in Allowed Partners)`,
			`- Needs review: other-2.example → ${yours}, “tea” (The partner isn't in Allowed Partners)`,
			`- Blocked by your rules: tea.example → ${yours}, “casino” (The anchor text contains “casino”)`,
			'Accept the offers that need review in your dashboard or with the Accept operation.',
		]);
		expect(await run()).toEqual([]);
		from('https://other-3.example');
		const secondDigest = getDigest(await run());
		expect(secondDigest.title).toBe('1 needs review: other-3.example → your-site.example');
	});

	test("doesn't repeat what the message of its only item says", async () => {
		const service = await startTestService({ credits: 1000 });
		const run = async (settings: object) => {
			const { decisions } = await service.acceptMany({ ...digest, ...settings }, published);
			return getDigest(decisions).message;
		};
		service.sandbox.requestOffer({ fromSite: 'https://other.example' });
		expect(await run(listed)).toMatch(
			/^Needs review: .+ Accept it in your dashboard or with the Accept operation .+$/,
		);
		expect(await run({ maxAccepts: 0 })).toMatch(/^Skipped: .+ Max Accepts \(0\) is reached\.$/);
	});

	test('lists at most ten offers of a kind, first what cost money, and the limit last', async () => {
		const service = await startTestService({ credits: 1000 });
		for (let count = 0; count < 5; count++) {
			service.sandbox.requestOffer({ fromSite: 'https://tea.example', cost: 10 });
		}
		for (let count = 0; count < 40; count++) {
			service.sandbox.requestOffer({ fromSite: `https://other-${count}.example` });
		}
		const settings = { ...listed, ...digest, maxAccepts: 3 };
		const { decisions } = await service.acceptMany(settings, published);
		const lines = getDigest(decisions).message.split('\n');
		expect(lines.map((line) => line.split(':')[0])).toEqual([
			'3 accepted, 40 need review, 2 skipped',
			...Array<string>(3).fill('- Accepted'),
			...Array<string>(10).fill('- Needs review'),
			'- and 30 more need review',
			...Array<string>(2).fill('- Skipped'),
			'Accept the offers that need review in your dashboard or with the Accept operation.',
			'Max Accepts (3) is reached, so 2 offers were skipped.',
		]);
	});

	test('explains why the run stopped early', async () => {
		const service = await startTestService({ credits: 20 });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		const settings = { limits: { minimumBalance: 10 }, ...digest };
		const { decisions } = await service.acceptMany(settings);
		const { title, message } = getDigest(decisions);
		expect(title).toBe('1 accepted, 2 skipped: your-site.example');
		expect(message.split('\n').at(-1)).toMatch(
			/^No further offer was accepted: The balance of 10 credits isn't above/,
		);
	});
});
