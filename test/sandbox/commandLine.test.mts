/** `npm run sandbox`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, test } from 'vitest';

import { parseCommand } from '../../sandbox/commandLine.mts';
import { root } from '../repository.mts';
import { askUrl, openSandbox } from './harness.mts';

/** Starts the command with a store in memory. */
const start = (...options: string[]) =>
	spawn(process.execPath, ['sandbox/main.mts', '--data', ':memory:', ...options], { cwd: root });

describe('the command line', () => {
	test('starts a sandbox, which stops on a signal', async () => {
		const options = ['--seed', 'x', '--plan', 'agency', '--api-key', 'my-key'];
		const child = start('--port', '0', ...options, '--api-variants', 'pagination=link');
		const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
		const base = /Base URL: +(\S+)/.exec(chunk.toString())?.[1] ?? '';
		const answer = await askUrl('GET', `${base}/exchanges`, {
			headers: { authorization: 'Bearer my-key' },
		});
		expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([200, '239']);
		child.kill('SIGTERM');
		expect(await once(child, 'exit')).toEqual([0, null]);
	});

	test('explains an invalid option and how to fix it', async () => {
		const { origin } = await openSandbox();
		const child = start('--port', new URL(origin).port);
		let output = '';
		child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
		expect(await once(child, 'close')).toEqual([1, null]);
		expect(output).toMatch(/^[^\n]*port \d+[^\n]*--port\.\n$/);
	});

	test.each([
		[['frobnicate'], /Unexpected argument 'frobnicate'/],
		[['--colour', 'red'], /Unknown option '--colour'/],
		[['--port', 'high'], /--port must be a whole number/],
		[['--port', '70000'], /up to 65534/],
	])('rejects %j', (args, message) => {
		expect(() => parseCommand(args)).toThrow(message);
	});

	test('prints its help', () => {
		expect(parseCommand(['--help'])).toContain('listShape=resource | array');
	});
});
