/** An installation of n8n that fails, and its output. */
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';

import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { InstallationError } from '../../../sandbox/start/n8n/command.mts';
import { installN8n } from '../../../sandbox/start/n8n/installation.mts';
import { getInstallationHint } from '../../../sandbox/start/n8n/installationHints.mts';
import { temporaryFolder } from '../../fixtures.mts';

let folder: string;
let logFile: string;
let printed: string[];

beforeEach(() => {
	folder = temporaryFolder();
	logFile = join(folder, 'start.log');
	printed = [];
	const log = vi.spyOn(console, 'log').mockImplementation((line: string) => {
		printed.push(line);
	});
	vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
	onTestFinished(() => {
		log.mockRestore();
		vi.unstubAllEnvs();
	});
});

/** Replaces npm with a shell script. */
function stubNpm(script: string): void {
	const programs = join(folder, 'programs');
	mkdirSync(programs);
	writeFileSync(join(programs, 'npm'), `#!/bin/sh\n${script}\n`);
	chmodSync(join(programs, 'npm'), 0o755);
	vi.stubEnv('PATH', [programs, process.env.PATH].join(delimiter));
}

async function install(): Promise<string> {
	try {
		return await installN8n(new AbortController().signal, logFile);
	} catch (error) {
		expect(error).toBeInstanceOf(InstallationError);
		return error instanceof Error ? error.message : '';
	}
}

describe('a failed installation of n8n', () => {
	test('shows the reason, what to do, and the log file', async () => {
		stubNpm('seq 1 100; echo "npm error code ENOTFOUND" >&2; exit 1');
		const message = await install();
		for (const text of ['npm error code ENOTFOUND', 'internet connection', logFile]) {
			expect(message).toContain(text);
		}
		expect(message.split('\n').length).toBeLessThan(25);
		expect(readFileSync(logFile, 'utf8')).toMatch(/^1\n2\n[^]*100\nnpm error code ENOTFOUND\n$/);
	});

	test('leaves nothing that a later start could mistake for n8n', async () => {
		stubNpm('exit 1');
		await install();
		expect(readdirSync(join(folder, 'cache', 'n8n-nodes-backlink-exchange'))).toEqual([]);
	});

	test('explains that the database module needs a compiler', async () => {
		stubNpm(
			'if [ "$1" = run ]; then echo "gyp ERR! not found: make"; exit 1; fi; mkdir -p node_modules/sqlite3',
		);
		const message = await install();
		expect(message).toContain('database module');
		expect(message).toContain('build-essential');
	});
});

test('an installation prints one line for each step, and keeps the output of npm in the log', async () => {
	stubNpm('mkdir -p node_modules/sqlite3; echo "npm warn deprecated"; echo "warning: unused" >&2');
	const installation = await install();
	expect(existsSync(installation)).toBe(true);
	expect(printed).toEqual([
		expect.stringMatching(/^Installing n8n \d+\.\d+\.\d+ /),
		expect.stringMatching(/^Preparing n8n's database module /),
	]);
	expect(readFileSync(logFile, 'utf8')).toContain('warning: unused');
});

describe('the hint for a failed installation', () => {
	test.each([
		['a full disk', 'npm error code ENOSPC', /disk is full/],
		['no connection', 'npm error code EAI_AGAIN', /internet connection/],
		['a folder of another user', 'npm error code EACCES', /isn't allowed to write/],
		['no Python', 'gyp ERR! find Python', /Python 3/],
		['no compiler', 'make: g++: command not found', /C\+\+ compiler/],
	])('explains %s', (_, output, hint) => {
		expect(getInstallationHint(output, '/cache')).toMatch(hint);
	});

	test('explains that make needs a folder without a space', () => {
		expect(getInstallationHint('gyp ERR! build error', '/my cache')).toContain('XDG_CACHE_HOME');
	});

	test('is empty if the cause is unknown', () => {
		expect(getInstallationHint('npm error code E500', '/my cache')).toBe('');
		expect(getInstallationHint('gyp ERR! build error', '/cache')).toBe('');
	});
});
