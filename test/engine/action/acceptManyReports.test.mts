/** What Accept Many returns: each decision once, what needs a person, and one message for a run. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test, vi } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import { credentialType, processedData } from '../engine.mts';
import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	acceptRequests,
	afterRestart,
	createStubService,
	minute,
	pending,
	post,
	published,
} from './acceptFixtures.mts';

const time = useVirtualTime();

const listed = { acceptFrom: 'listed', allowedPartners: 'tea.example' };

describe('Return', () => {
	test('a decision comes once for its reason, whatever its figures are, also after a restart', async () => {
		const service = await startTestService({ credits: 100 });
		service.sandbox.requestOffer({ anchor: 'casino' });
		const skipped = { options: { minimumBalance: 100 } };
		const run = async (settings: object) => {
			const more = { ...published, ...afterRestart() };
			return (await service.acceptMany(settings, more)).outcomes;
		};
		service.sandbox.requestOffer();
		expect(await run(skipped)).toEqual(['refused', 'skipped']);
		service.sandbox.setCredits(90);
		expect(await run(skipped)).toEqual([]);
		expect(await run(listed)).toEqual(['undecided']);
		expect(await run(listed)).toEqual([]);
		expect(await run({ ...listed, return: 'all' })).toEqual(['refused', 'undecided']);
	});

	test('what is unknown comes every time, and once more as accepted when the list shows it', async () => {
		let status = 'pending';
		const offer = pending();
		const service = await createStubService({
			list: () => [{ ...offer, status }],
			accept: (_id, response) => void response.writeHead(500).end(),
		});
		const run = async () => (await service.acceptMany({}, published)).outcomes;
		expect([await run(), await run()]).toEqual([['unknown'], ['unknown']]);
		await time.wait(minute);
		status = 'accepted';
		expect(await run()).toEqual([]);
	});

	test('only what needs a person: not what was accepted, skipped or refused', async () => {
		const service = await startTestService({ credits: 100 });
		const from = (fromSite: string, anchor = 'tea') =>
			service.sandbox.requestOffer({ fromSite, anchor }).id;
		from('https://tea.example');
		const [stranger] = [from('https://other.example'), from('https://tea.example', 'casino')];
		const settings = { ...listed, return: 'needsPerson' };
		expect((await service.acceptMany({ ...settings, dryRun: true })).outcomes).toEqual([
			'wouldAccept',
			'undecided',
		]);
		const { decisions } = await service.acceptMany(settings, published);
		expect(decisions).toMatchObject([{ id: stranger, outcome: 'undecided' }]);
	});

	test('by hand, everything comes, and nothing is told less later', async () => {
		const service = await startTestService();
		service.sandbox.requestOffer({ anchor: 'casino' });
		for (const mode of ['manual', 'manual', 'trigger'] as const) {
			expect((await service.acceptMany({}, { mode })).outcomes).toEqual(['refused']);
		}
		expect((await service.acceptMany({}, published)).outcomes).toEqual([]);
	});

	test('what n8n cannot record comes every time', async () => {
		const service = await startTestService();
		service.sandbox.requestOffer({ anchor: 'casino' });
		const full = new Error('SQLITE_FULL: database or disk is full');
		const record = vi.spyOn(processedData, 'checkProcessedAndRecord').mockRejectedValue(full);
		for (let run = 0; run < 2; run++) {
			expect((await service.acceptMany({}, published)).outcomes).toEqual(['refused']);
		}
		record.mockRestore();
	});

	test('a run that is canceled has told nothing: the next one does', async () => {
		const service = await startTestService({ credits: 1000 });
		service.sandbox.requestOffer({ anchor: 'casino' });
		service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'delay-before-commit', ...post, milliseconds: 9000 });
		const first = await service.acceptMany({}, { ...published, cancelAfter: 2000 });
		expect(first.items).toEqual([]);
		await time.wait(minute);
		expect((await service.acceptMany({}, published)).outcomes).toEqual(['refused']);
	});

	test('where n8n runs the node again, because an item has failed, the last try tells everything', async () => {
		const service = await startTestService({ credits: 100 });
		const { id } = service.sandbox.requestOffer({ cost: 10 });
		const refused = service.sandbox.requestOffer({ anchor: 'casino' });
		const { baseUrl, apiKey } = service.sandbox;
		const credentials = new TestCredentials(credentialType, {});
		credentials.ofItem = (index) => ({ baseUrl, apiKey: index === 0 ? 'revoked' : apiKey });
		const more = { ...published, items: [{}, {}], credentials, continueOnFail: true, maxTries: 3 };
		const { decisions } = await service.acceptMany({}, more);
		expect(decisions).toMatchObject([
			{ error: { message: 'The service does not accept the API key' } },
			{ id, outcome: 'accepted', creditsSpent: 10 },
			{ id: refused.id, outcome: 'refused' },
		]);
		expect(acceptRequests(service).length).toBe(1);
	});
});

describe('Output: Digest', () => {
	const getDigest = (items: IDataObject[]) =>
		items[0] as Record<'message' | 'title', string> & { items: IDataObject[]; count: number };

	test('is one item for the run, the most urgent first, and none where there is nothing to tell', async () => {
		const service = await startTestService({ credits: 1000 });
		const from = (fromSite: string, anchor = 'tea') =>
			service.sandbox.requestOffer({ fromSite, anchor, cost: 10 }).id;
		from('https://tea.example');
		from('https://tea.example', 'casino');
		const strangers = [1, 2].map((each) => from(`https://other-${each}.example`));
		const run = async (settings: object = {}) =>
			(await service.acceptMany({ ...listed, output: 'digest', ...settings }, published)).decisions;
		const [dry] = await run({ dryRun: true, return: 'all' });
		expect(dry?.title).toBe('Dry run: 2 to decide, 1 would be accepted, 1 refused');
		const first = getDigest(await run());
		expect(first.title).toBe('2 to decide, 1 accepted, 1 refused');
		expect([first.count, first.items.length]).toEqual([4, 4]);
		expect(first.message.split('\n').map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
			'- Please decide',
			'- Please decide',
			'- Accepted tea.example',
			'- Refused by',
		]);
		for (const id of strangers) expect(first.message).toContain(id);
		expect(first.message).toContain('10 credits, 990 left');
		expect(await run()).toEqual([]);
		from('https://other-3.example');
		const later = getDigest(await run());
		expect(later.title).toBe('1 to decide');
		expect(later.message.split('\n').at(-1)).toBe('2 older offers still wait for you');
	});

	test('says why the run stopped early', async () => {
		const service = await startTestService({ credits: 25 });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		const settings = { output: 'digest', options: { minimumBalance: 10 } };
		const { decisions } = await service.acceptMany(settings);
		const { title, message } = getDigest(decisions);
		expect(title).toBe('1 accepted, 2 skipped');
		expect(message.split('\n').at(-1)).toMatch(
			/^Stopped early: The balance of 15 credits could fall/,
		);
	});

	test('with On Error: Continue, inputs that failed follow as items of their own', async () => {
		const service = await startTestService();
		service.sandbox.requestOffer();
		const { decisions } = await service.acceptMany(
			{ output: 'digest', maxAccepts: '={{ $json.most }}' },
			{ items: [{ most: 1 }, { most: 'many' }], continueOnFail: true },
		);
		expect(decisions).toMatchObject([{ title: '1 accepted' }, { error: {} }]);
	});
});
