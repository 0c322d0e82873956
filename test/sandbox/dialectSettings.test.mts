/** How a dialect is named, put together, refused and kept. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { dialectNames, dialectSettingNames, resolveDialect } from '../../sandbox/dialects.mts';
import { seenBy } from '../probe/seenBy.mts';
import { temporaryFolder } from '../untilTheTestEnds.mts';
import { openSandbox } from './harness.mts';

const unseen = dialectSettingNames.filter((setting) => seenBy[setting] === 'nothing safe');

describe('a dialect', () => {
	it('can be a name, a setting, a file, or several of them, the later one in front', () => {
		const file = join(temporaryFolder(), 'mine.json');
		writeFileSync(file, JSON.stringify({ times: 'epoch-seconds', pageSize: 5 }));
		expect(resolveDialect(undefined)).toEqual(resolveDialect('plain'));
		expect(resolveDialect(`enveloped, pagination=link,${file},pageSize=7`)).toEqual({
			...resolveDialect('enveloped'),
			pagination: 'link',
			times: 'epoch-seconds',
			pageSize: 7,
		});
	});

	it.each([
		['nope', /no dialect "nope".*plain, bare-arrays/],
		['toString', /no dialect "toString"/],
		['colour=red', /no dialect setting "colour".*listShape/],
		['listShape=tree', /listShape has no variant "tree".*array \| data/],
		['pageSize=0', /pageSize takes a whole number/],
		['pageSize=many', /pageSize takes a whole number/],
		['settlementSeconds=100000000000000', /takes a whole number from 0 to 1000000000/],
		['/nowhere/mine.json', /mine\.json cannot be read/],
	])('that makes no sense (%s) is refused with what would', (text, message) => {
		expect(() => resolveDialect(text)).toThrow(message);
	});

	it('of each name can be set at run time, and stays over a restart', async () => {
		const data = join(temporaryFolder(), 'sandbox.sqlite');
		const sandbox = await openSandbox({ data });
		for (const name of dialectNames) {
			sandbox.setDialect(name);
			expect(sandbox.dialect()).toEqual(resolveDialect(name));
		}
		sandbox.setDialect('enveloped');
		sandbox.setDialect({ pagination: 'none' });
		await sandbox.close();
		const restarted = await openSandbox({ data });
		expect(restarted.dialect()).toEqual({ ...resolveDialect('enveloped'), pagination: 'none' });
	});

	it.each(unseen)('has a test for each variant of %s, which the probe cannot show', (setting) => {
		const files = globSync('*.test.mts', { cwd: import.meta.dirname });
		const tests = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
		expect(tests.join()).toMatch(new RegExp(`^describeSetting\\(\\s*'${setting}'`, 'm'));
	});

	it('with base64 keys refuses a secret of another kind, and the other way round', async () => {
		const sandbox = await openSandbox({
			webhook: { url: 'http://127.0.0.1:9/', secret: 'plain words' },
		});
		expect(() => {
			sandbox.setDialect({ hmacKey: 'whsec-base64' });
		}).toThrow('whsec_ followed by base64');
		expect(sandbox.dialect().hmacKey).toBe('utf8');
		sandbox.setWebhook(undefined);
		sandbox.setDialect({ hmacKey: 'whsec-base64' });
		expect(() => {
			sandbox.setWebhook({ url: 'http://127.0.0.1:9/', secret: 'plain words' });
		}).toThrow('whsec_ followed by base64');
	});
});
