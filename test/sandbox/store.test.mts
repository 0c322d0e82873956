/** The store: what it keeps, and the files that it rejects without a change. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, onTestFinished, test } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { schemaVersion } from '../../sandbox/store/schema.mts';
import { Store } from '../../sandbox/store/store.mts';
import { temporaryFolder } from '../fixtures.mts';
import { callApi, openSandbox, secret } from './harness.mts';

const newFile = () => join(temporaryFolder(), 'deeper', 'sandbox.sqlite');

const noon = Date.UTC(2026, 6, 1, 12);

/**
 * Creates a closed store with an offer in it.
 *
 * @returns its path
 */
async function createStoreFile(): Promise<string> {
	const file = newFile();
	const sandbox = await startSandbox({ data: file });
	sandbox.requestOffer({ id: 'e1' });
	await sandbox.close();
	return file;
}

describe('a store', () => {
	test('keeps everything over a restart, readable only by its owner', async () => {
		const file = newFile();
		const webhook = { url: 'http://127.0.0.1:9/hook', secret };
		const options = { data: file, limits: {}, clock: () => noon };
		const first = await openSandbox({ ...options, plan: 'agency', readOnly: true, credits: 40 });
		first.addSite({ url: 'https://mine.example', niche: 'x' });
		first.accept(first.requestOffer({ id: 'e1' }).id);
		first.alert({ exchangeId: 'e1' });
		first.change({ webhook });
		first.change({ verification: { outcome: 'rejected' } });
		const key = first.createApiKey('second');
		const read = (sandbox: Sandbox) =>
			callApi(sandbox, 'GET /sites', { authorization: `Bearer ${key}` });
		expect((await read(first)).headers['x-ratelimit-remaining']).toBe('239');
		await first.close();
		expect(statSync(file).mode & 0o777).toBe(0o600);

		const second = await openSandbox({ ...options, credits: 999 });
		expect(second.apiKey).toBe(first.apiKey);
		expect(second.books.balance()).toBe(30);
		expect(second.books.exchange('e1').status).toBe('accepted');
		expect(second.books.watchdogEvents()).toHaveLength(1);
		const answer = await read(second);
		expect(answer.json).toMatchObject({ sites: [{ url: 'https://mine.example' }] });
		expect(answer.headers['x-ratelimit-remaining']).toBe('238');
		expect((await callApi(second, 'POST /exchanges/e1/accept')).status).toBe(403);
	});

	test('finishes verifications that came due while it was stopped', async () => {
		const file = newFile();
		let now = noon;
		const clock = () => now;
		const first = await openSandbox({
			data: file,
			clock,
			verification: { delayMilliseconds: 1000 },
		});
		first.addSite({ url: 'https://yes.example', niche: 'x' });
		first.change({ verification: { outcome: 'rejected' } });
		first.addSite({ url: 'https://no.example', niche: 'x' });
		await first.close();
		now += 1000;
		const second = await openSandbox({ data: file, clock });
		expect((await callApi(second, 'GET /sites')).json).toMatchObject({
			sites: [
				{ url: 'https://yes.example', verified: true },
				{ url: 'https://no.example', verified: false },
			],
		});
	});

	test('keeps nothing of a change that failed', () => {
		const store = new Store(':memory:');
		onTestFinished(() => {
			store.close();
		});
		const shown: string[] = [];
		const add = (name: string) => store.insert('settings', { name, value: '1' });
		expect(() =>
			store.transaction(() => {
				add('a');
				store.transaction(() => add('b'));
				store.afterCommit(() => shown.push('failed'));
				throw new Error('half way');
			}),
		).toThrow('half way');
		expect(store.rows('settings')).toEqual([]);
		store.transaction(() => {
			add('c');
			store.afterCommit(() => shown.push('kept'));
			expect(shown).toEqual([]);
		});
		expect(shown).toEqual(['kept']);
		expect(store.rows('settings')).toEqual([{ name: 'c', value: '1' }]);
	});
});

test('the demo account has two offers that were accepted ten days ago and not published', async () => {
	const day = 86_400_000;
	const { books } = await openSandbox({ seed: 'demo', clock: () => noon });
	const accepted = books.exchanges('accepted').map(({ acceptedAt = 0 }) => noon - acceptedAt);
	expect(accepted.filter((age) => age === 10 * day)).toHaveLength(2);
	expect(accepted).toHaveLength(3);
});

describe("a file that can't be a store is unchanged", () => {
	const expectRejected = async (file: string, message: RegExp) => {
		const before = readFileSync(file);
		await expect(startSandbox({ data: file })).rejects.toThrow(message);
		expect(readFileSync(file).equals(before)).toBe(true);
	};

	test('when it is something else, or of another program or version', async () => {
		const notes = join(temporaryFolder(), 'notes.txt');
		writeFileSync(notes, 'my notes');
		await expectRejected(notes, /notes\.txt .*wasn't changed/);
		const file = join(temporaryFolder(), 'other.sqlite');
		const other = new DatabaseSync(file);
		other.exec('CREATE TABLE things (name TEXT)');
		other.close();
		const newer = await createStoreFile();
		const database = new DatabaseSync(newer);
		database.exec(`PRAGMA user_version = ${schemaVersion + 1}`);
		database.close();
		for (const each of [file, newer]) {
			await expectRejected(each, /isn't a data file of this version/);
		}
	});

	test('while another sandbox uses it', async () => {
		const file = newFile();
		const sandbox = await openSandbox({ data: file });
		await expect(startSandbox({ data: file })).rejects.toThrow(/Another sandbox uses/);
		expect((await callApi(sandbox, 'GET /sites')).status).toBe(200);
	});
});
