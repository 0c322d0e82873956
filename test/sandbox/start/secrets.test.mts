/** The playground's data folder is private, and isn't confused with another one. */
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { beforeEach, describe, expect, test } from 'vitest';

import { moveEarlierData } from '../../../sandbox/start/n8n/earlierData.mts';
import { openDataFolder } from '../../../sandbox/start/n8n/secrets.mts';
import { Store } from '../../../sandbox/store/store.mts';
import { temporaryFolder } from '../../fixtures.mts';

let parent: string;
beforeEach(() => {
	parent = temporaryFolder();
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("the playground's data folder", () => {
	test('is private, even if it was public before', () => {
		const folder = join(parent, 'data');
		openDataFolder(folder);
		chmodSync(folder, 0o755);
		chmodSync(join(folder, 'secrets.json'), 0o644);
		openDataFolder(folder);
		expect(mode(folder)).toBe('700');
		expect(mode(join(folder, 'secrets.json'))).toBe('600');
	});

	test('keeps its secrets, which differ from those of another folder', () => {
		const first = openDataFolder(join(parent, 'one'));
		const other = openDataFolder(join(parent, 'two'));
		expect(openDataFolder(join(parent, 'one'))).toEqual(first);
		const values = [first, other].flatMap(({ password, encryptionKey, apiKey, webhookSecret }) => [
			password,
			encryptionKey,
			apiKey,
			webhookSecret,
		]);
		expect(new Set(values).size).toBe(8);
	});

	test("isn't set up among other files", () => {
		writeFileSync(join(parent, 'thesis.odt'), '');
		expect(() => openDataFolder(parent)).toThrow("isn't empty");
	});

	test('may already contain the store of npm run sandbox', () => {
		writeFileSync(join(parent, 'sandbox.sqlite'), '');
		expect(openDataFolder(parent).password).toMatch(/[A-Z].*\d|\d.*[A-Z]/);
	});

	test('is moved away if it is from an earlier version, and stays as it was', () => {
		const folder = join(parent, 'data');
		const { password } = openDataFolder(folder);
		expect(moveEarlierData(folder)).toBeUndefined();
		rmSync(join(folder, 'data-version'));
		expect(moveEarlierData(folder)).toBe(`${folder}-earlier`);
		expect(openDataFolder(folder).password).not.toBe(password);
		expect(openDataFolder(`${folder}-earlier`).password).toBe(password);
		writeFileSync(join(folder, 'data-version'), '1');
		expect(moveEarlierData(folder)).toBe(`${folder}-earlier-2`);
		expect(moveEarlierData(folder)).toBeUndefined();
	});

	test('is moved away if it contains the store of an earlier version', () => {
		const file = join(parent, 'data', 'sandbox.sqlite');
		new Store(file).close();
		expect(moveEarlierData(join(parent, 'data'))).toBeUndefined();
		const database = new DatabaseSync(file);
		database.exec('PRAGMA user_version = 1');
		database.close();
		expect(moveEarlierData(join(parent, 'data'))).toBe(join(parent, 'data-earlier'));
	});
});
