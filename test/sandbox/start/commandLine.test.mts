/** The options of `npm start`, and its messages for invalid ones. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { help, parseCommandLine } from '../../../sandbox/start/commandLine.mts';
import { runCommand } from '../../../sandbox/start/n8n/command.mts';
import { findFreePort } from '../../../sandbox/start/n8n/ports.mts';
import { temporaryFolder } from '../../fixtures.mts';
import { root } from '../../repository.mts';

const parse = (...args: string[]) => parseCommandLine(args, '/home/user/project');

describe('the command line of npm start', () => {
	test('uses the usual ports and the default folder', () => {
		expect(parse()).toEqual({
			help: false,
			check: false,
			data: undefined,
			n8nPort: 5678,
			sandboxPort: 4100,
			acceptOffers: false,
		});
	});

	test('lists each of its options in the help', () => {
		for (const flag of ['--n8n-port', '--sandbox-port', '--data', '--check', '--accept-offers']) {
			expect(help).toContain(flag);
		}
		expect(parse('--accept-offers').acceptOffers).toBe(true);
	});

	test("resolves a relative data folder from the user's current folder", () => {
		expect(parse('--data', '../other').data).toBe('/home/user/other');
	});

	test.each([
		...['0', '65536', '80x', '', '-1', '1e3'].map((port): [string, RegExp] => [
			`--n8n-port=${port}`,
			/--n8n-port must be a port number/,
		]),
		// The other one has this port by default.
		['--sandbox-port=5678', /can't both use port 5678/],
		// The sandbox's mail server has this one.
		['--sandbox-port=5677', /can't both use port 5678/],
		['--sandbox-port=65535', /--sandbox-port must be a port number from 1 to 65534/],
		['--port=1', /'--port'[^]*Usage: npm start/],
		// A check must not touch a data folder of the user.
		['--check --data=mine', /temporary folder/],
	])('rejects %s, and explains why', (args, message) => {
		expect(() => parse(...args.split(' '))).toThrow(message);
	});
});

test("explains in one sentence that the sandbox's store is unusable, before it installs anything", async () => {
	const data = temporaryFolder();
	writeFileSync(join(data, 'sandbox.sqlite'), 'no store');
	const ports = ['--n8n-port', await findFreePort(), '--sandbox-port', await findFreePort()];
	const args = ['sandbox/start/start.mts', '--data', data, ...ports.map(String)];
	const { code, output } = await runCommand(process.execPath, args, { cwd: root });
	expect(output).toMatch(/^[^\n]*sandbox\.sqlite [^\n]*--data\.\n$/);
	expect(code).toBe(1);
});
