/** The locks of an account: one task at a time per key, in the order of arrival. */
import { setImmediate as everythingElse } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { Account } from '../../../../nodes/shared/transport/account.ts';

const account = new Account('test');

test('runs tasks of one key sequentially and other keys in parallel', async () => {
	const started: string[] = [];
	const ends: Record<string, () => void> = {};
	const take = async (key: string, name: string) => {
		await account.runExclusive(key, async () => {
			started.push(name);
			await new Promise<void>((resolve) => {
				ends[name] = resolve;
			});
		});
	};
	const all = [take('key', 'first'), take('key', 'second')];
	await everythingElse();
	ends.first?.();
	await everythingElse();
	all.push(take('key', 'third'), take('another key', 'other'));
	await everythingElse();
	expect(started).toEqual(['first', 'second', 'other']);
	ends.second?.();
	await everythingElse();
	expect(started).toEqual(['first', 'second', 'other', 'third']);
	for (const end of Object.values(ends)) end();
	await Promise.all(all);
});
