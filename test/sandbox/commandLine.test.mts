/** `npm run sandbox`, and its commands to a running sandbox. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { runCommand } from '../../playground/n8n/command.mts';
import { parseCommand } from '../../sandbox/commandLine.mts';
import { resolveDialect } from '../../sandbox/dialects.mts';
import { root } from '../repository.mts';
import { temporaryFolder } from '../untilTheTestEnds.mts';
import { askUrl, openSandbox } from './harness.mts';

const command = (line: string) => ['sandbox/main.mts', ...line.split(' ')];
/** Runs the command line to its end. */
const run = (line: string) => runCommand(process.execPath, command(line), { cwd: root });

describe('the command line', () => {
	it('steers a running sandbox', async () => {
		const sandbox = await openSandbox();
		const port = new URL(sandbox.origin).port;
		sandbox.requestOffer({ id: 'e1' });
		const alert = `event watchdog.alert --severity critical --exchange e1 --port ${port}`;
		expect(await run(alert)).toEqual({ code: 0, output: 'watchdog.alert has happened.\n' });
		const happened = { severity: 'critical', exchangeId: 'e1' };
		expect(sandbox.books.watchdogEvents()).toMatchObject([happened]);
		const report = join(temporaryFolder(), 'report.json');
		writeFileSync(report, '{"probe": 1, "dialect": {"times": "epoch-seconds"}}');
		expect((await run(`set dialect enveloped,${report} --port ${port}`)).code).toBe(0);
		expect(sandbox.dialect()).toEqual(resolveDialect('enveloped,times=epoch-seconds'));
		expect(await run(`event exchange.published --port ${port}`)).toMatchObject({
			code: 1,
			output: 'There is no accepted exchange that this could happen to.\n',
		});
	});

	it('starts a sandbox, which stops on a signal', async () => {
		const options = '--seed x --plan agency --api-key my-key --dialect pagination=link';
		const child = spawn(process.execPath, command(`--port 0 --data :memory: ${options}`));
		const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
		const base = /Base URL: +(\S+)/.exec(chunk.toString())?.[1] ?? '';
		const answer = await askUrl('GET', `${base}/exchanges`, {
			headers: { authorization: 'Bearer my-key' },
		});
		expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([200, '239']);
		child.kill('SIGTERM');
		expect(await once(child, 'exit')).toEqual([0, null]);
	});

	it('stops in good order when nobody reads what it prints any more', async () => {
		const child = spawn(process.execPath, command('--port 0 --data :memory:'));
		const ended = once(child, 'exit');
		const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
		const port = /Dashboard: +http:\/\/127\.0\.0\.1:(\d+)/.exec(chunk.toString())?.[1] ?? '';
		let complaint = '';
		child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
		child.stdout.destroy();
		await run(`event exchange.requested --port ${port}`);
		expect(await ended).toEqual([0, null]);
		expect(complaint).toBe('');
	});

	it('says what is wrong, and how to put it right', async () => {
		const sandbox = await openSandbox();
		const taken = await run(`--port ${new URL(sandbox.origin).port} --data :memory:`);
		expect(taken.code).toBe(1);
		expect(taken.output).toMatch(/^Port \d+ is in use\. Choose another one with --port\.\n$/);
		const unread = await run('set dialect nowhere.json');
		expect(unread.output).toMatch(/nowhere\.json cannot be read/);
		await sandbox.close();
		const missed = await run(`event watchdog.alert --port ${new URL(sandbox.origin).port}`);
		expect(missed.output).toMatch(/^No sandbox is running at/);
	});

	it.each([
		[['frobnicate'], /no command "frobnicate"/],
		[['--colour', 'red'], /Unknown option '--colour'/],
		[['--plan', 'gold'], /no plan "gold"/],
		[['--port', 'high'], /--port takes a whole number/],
		[['--port', '70000'], /up to 65535/],
		[['event'], /Which event\?/],
		[['event', 'exchange.broken'], /Which event\?/],
		[['event', 'watchdog.alert', 'twice'], /more than event takes/],
		[['event', 'watchdog.alert', '--plan', 'pro'], /--plan does not go with event/],
		[['set', 'colour', 'red'], /no setting "colour"/],
		[['set', 'plan'], /Say what to set/],
		[['set', 'read-only', 'maybe'], /on or off/],
		[['fault', 'nope'], /Which fault\?/],
	])('refuses %j', (args, message) => {
		expect(() => parseCommand(args)).toThrow(message);
	});

	it('explains itself', () => {
		const text = (args: string[]) => {
			const command = parseCommand(args);
			return command.name === 'print' ? command.text : '';
		};
		for (const option of ['--port', '--plan', '--dialect', '--data', '--seed']) {
			expect(text(['--help'])).toContain(option);
		}
		expect(text(['dialects'])).toContain('listShape=resource | array');
		expect(text(['faults'])).toContain('cut-after-commit');
	});
});
