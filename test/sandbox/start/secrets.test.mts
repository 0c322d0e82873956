/** The playground's data folder is private, and isn't confused with another one. */
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { openDataFolder } from '../../../sandbox/start/n8n/secrets.mts';
import { temporaryFolder } from '../../fixtures.mts';

let parent: string;
beforeEach(() => {
	parent = temporaryFolder();
});

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("the playground's data folder", () => {
	it('is private, even if it was public before', () => {
		const folder = join(parent, 'data');
		openDataFolder(folder);
		chmodSync(folder, 0o755);
		chmodSync(join(folder, 'secrets.json'), 0o644);
		openDataFolder(folder);
		expect(mode(folder)).toBe('700');
		expect(mode(join(folder, 'secrets.json'))).toBe('600');
	});

	it('keeps its secrets, which differ from those of another folder', () => {
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

	it("isn't set up among other files", () => {
		writeFileSync(join(parent, 'thesis.odt'), '');
		expect(() => openDataFolder(parent)).toThrow('is not empty');
	});

	it('may already contain the store of npm run sandbox', () => {
		writeFileSync(join(parent, 'sandbox.sqlite'), '');
		expect(openDataFolder(parent).password).toMatch(/[A-Z].*\d|\d.*[A-Z]/);
	});
});
