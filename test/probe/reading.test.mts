/** The probe asks the sandbox in every dialect; what it reports has to be that dialect, and the sandbox started from it has to look the same. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { askAll } from '../../probe/ask.mts';
import { Client } from '../../probe/client.mts';
import { type Report, reportOf } from '../../probe/report.mts';
import { type Dialect, dialectNames, singleVariants } from '../../sandbox/dialects.mts';
import type { SandboxOptions } from '../../sandbox/sandbox.mts';
import { openSandbox } from '../sandbox/harness.mts';
import { temporaryFolder } from '../untilTheTestEnds.mts';
import { seenBy } from './seenBy.mts';

async function probed(options: SandboxOptions): Promise<Report> {
	const sandbox = await openSandbox({ seed: 'demo', ...options });
	const client = new Client(sandbox.baseUrl, sandbox.apiKey, () => undefined);
	return reportOf(await askAll(client));
}

const readable = singleVariants().filter(({ setting }) => seenBy[setting] === 'reading');

test.each(readable)('$name is found out', async ({ setting, settings }) => {
	const { dialect } = await probed({ dialect: { ...settings, pageSize: 5 } });
	const variant = settings[setting];
	// Where nothing says that there is more, nothing is reported; the sandbox's default is the same.
	if (variant === 'none') expect(dialect.pagination).toBeUndefined();
	else expect(dialect[setting]).toBe(variant);
});

test.each([0, 300, -300, 86_400])('a clock %i seconds ahead is found out', async (skew) => {
	const { dialect } = await probed({ dialect: { clockSkewSeconds: skew } });
	expect(dialect.clockSkewSeconds).toBe(skew);
});

test.each([3, 7])('pages of %i are found out', async (pageSize) => {
	const { dialect } = await probed({ dialect: { pagination: 'link', pageSize } });
	expect(dialect.pageSize).toBe(pageSize);
});

const dialects: [name: string, dialect: string | Partial<Dialect>][] = [
	...dialectNames.map((name): [string, string] => [name, name]),
	...dialectNames.map((name): [string, string] => [`${name} in small pages`, `${name},pageSize=5`]),
	...singleVariants().map(({ name, settings }): [string, Partial<Dialect>] => [name, settings]),
];

test.each(dialects)(
	'a sandbox started from the report of %s gives the same report',
	async (_name, dialect) => {
		const first = await probed({ dialect });
		const file = path.join(temporaryFolder(), 'report.json');
		writeFileSync(file, JSON.stringify(first));
		expect(await probed({ dialect: file })).toEqual(first);
	},
);

test('the probe only reads, and few times', async () => {
	const sandbox = await openSandbox({ seed: 'demo' });
	await askAll(new Client(sandbox.baseUrl, sandbox.apiKey, () => undefined));
	const requests = sandbox.books.requests();
	expect(requests.length).toBeGreaterThan(8);
	expect(requests.length).toBeLessThan(20);
	expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
});

test('the whole quota used up by somebody else: it waits, and tells the form of the refusal', async () => {
	const limits = { perMinute: 4, windowMilliseconds: 1000 };
	const sandbox = await openSandbox({ seed: 'demo', limits });
	const waits: number[] = [];
	const client = new Client(sandbox.baseUrl, sandbox.apiKey, (wait) => waits.push(wait));
	const { dialect } = reportOf(await askAll(client));
	expect(waits.length).toBeGreaterThan(0);
	expect(dialect.limitExceeded).toBe('retry-after-json');
});
