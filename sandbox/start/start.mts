// What `npm start` does; see commandLine.mts for its options.
import '../../scripts/endWithNpm.mts';

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { resolveDialect } from '../dialects.mts';
import { InvalidSettingError } from '../errors.mts';
import type { Sandbox } from '../sandbox.mts';
import { type CommandLine, help, parseCommandLine } from './commandLine.mts';
import { executionPrinter, say } from './consoleOutput.mts';
import { InstallationError } from './n8n/command.mts';
import type { Execution } from './n8n/messages.mts';
import { findFreePort } from './n8n/ports.mts';
import { endOfLog } from './n8n/process.mts';
import { type Playground, withPlayground } from './playground.mts';
import { check, type CheckResult } from './smokeTest.mts';

const root = join(import.meta.dirname, '../..');

/** The reason why things stop when the user ends them, by Ctrl-C or by closing the terminal. */
class Stopped extends Error {}

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(name, () => {
		stopping.abort(new Stopped('Stopped.'));
	});
}
// Writing to a closed terminal fails; n8n has to be stopped anyway.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
// No other user may read what is written from here on.
process.umask(0o077);

function tellActivity({ text }: { text: string }): void {
	// While things stop, deliveries may fail; the next start sends them.
	if (!stopping.signal.aborted) say('sandbox', text);
}

const printExecution = executionPrinter((line) => {
	say('n8n', line);
});

function welcome(playground: Playground): string {
	const { editorUrl, login, sandbox, published, n8nLogFile } = playground;
	return `
  n8n       ${editorUrl}
            log in as ${login.email} with the password ${login.password}
  sandbox   ${sandbox.origin}  (the dashboard of the service)

  Published in n8n: ${published.length === 0 ? 'nothing' : published.join(', ')}.
  Events go to: ${destination(playground)}
  Plan: ${sandbox.settings.plan === 'none' ? 'without API access' : sandbox.settings.plan}.${dialectNote(sandbox)}
  Pending offers: ${sandbox.books.exchanges('pending').length}. Credits: ${sandbox.books.balance()}.

  Your first steps are in README.md, under "Your first workflow". An alert: press "Raise alert" in the sandbox.
  n8n's own log: ${n8nLogFile}
  Ctrl-C stops everything; the next start goes on from there.
`;
}

function destination({ webhookUrl, receivingWorkflow }: Playground): string {
	if (webhookUrl === undefined) {
		return 'nowhere. Choose a trigger in the dashboard, under Webhooks.';
	}
	if (receivingWorkflow !== undefined) return `the workflow "${receivingWorkflow}".`;
	return `${webhookUrl}, where no published workflow of this n8n listens.\n             Choose a trigger in the dashboard, under Webhooks.`;
}

/** The settings of the dialect that differ from those of a fresh start; empty when none does. */
function dialectNote(sandbox: Sandbox): string {
	const plain: Record<string, unknown> = { ...resolveDialect('plain') };
	const changed = Object.entries(sandbox.settings.dialect).filter(
		([name, value]) => plain[name] !== value,
	);
	if (changed.length === 0) return '';
	return ` Dialect: ${changed.map(([name, value]) => `${name}=${value}`).join(', ')}.`;
}

/** Resolves when the user wants to stop. */
async function untilStopped(): Promise<void> {
	if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
}

async function run(playground: Playground): Promise<void> {
	// First, so that it is among those that are counted.
	playground.sandbox.requestOffers(1);
	console.log(welcome(playground));
	const how = await Promise.race([playground.n8n.ended, untilStopped()]);
	if (how !== undefined) {
		throw new InstallationError(
			`n8n ended by itself (${how}). The end of its log (${playground.n8nLogFile}):\n\n${endOfLog(playground.n8nLogFile)}`,
		);
	}
	console.log('Stopping n8n and the sandbox …');
}

async function play({ data, n8nPort, sandboxPort, acceptOffers }: CommandLine): Promise<void> {
	const options = {
		data: data ?? join(root, 'sandbox/data'),
		n8nPort,
		sandboxPort,
		demoData: true,
		acceptOffers,
		signal: stopping.signal,
		onActivity: tellActivity,
		onExecution: printExecution,
	};
	await withPlayground(options, run);
	console.log('Stopped.');
}

function report(findings: CheckResult[]): boolean {
	for (const { title, ok, detail } of findings) {
		console.log(ok ? `✓ ${title}` : `✗ ${title}: ${detail}`);
	}
	const failed = findings.filter(({ ok }) => !ok).length;
	console.log(`${findings.length - failed} passed, ${failed} failed`);
	return failed === 0;
}

/** The unattended run: true when everything was as it should be. */
async function runCheck(): Promise<boolean> {
	const data = mkdtempSync(join(tmpdir(), 'backlink-exchange-check-'));
	const executions: Execution[] = [];
	let findings: CheckResult[] = [];
	const options = {
		data,
		n8nPort: await findFreePort(),
		sandboxPort: await findFreePort(),
		demoData: false,
		acceptOffers: true,
		signal: stopping.signal,
		onActivity: tellActivity,
		onExecution: (execution: Execution) => {
			executions.push(execution);
			printExecution(execution);
		},
	};
	try {
		await withPlayground(options, async (playground) => {
			findings = await check(playground, executions, stopping.signal);
			if (findings.every(({ ok }) => ok)) return;
			console.log(`\nThe end of n8n's log:\n\n${endOfLog(playground.n8nLogFile)}\n`);
		});
	} catch (error) {
		findings.push({ title: 'the playground works', ok: false, detail: formatError(error) });
	} finally {
		rmSync(data, { recursive: true, force: true });
	}
	return report(findings);
}

/** What the user reads; a stack trace only for an error that was not expected. */
function formatError(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	// A stopped timer rejects with an AbortError around the reason.
	if (error.name === 'AbortError' && error.cause instanceof Error) return formatError(error.cause);
	const expected = [InstallationError, InvalidSettingError, Stopped].some(
		(kind) => error instanceof kind,
	);
	return expected ? error.message : (error.stack ?? error.message);
}

try {
	const commandLine = parseCommandLine(
		process.argv.slice(2),
		process.env.INIT_CWD ?? process.cwd(),
	);
	if (commandLine.help) console.log(help);
	else if (commandLine.check) process.exitCode = (await runCheck()) ? 0 : 1;
	else await play(commandLine);
} catch (error) {
	console.error(formatError(error));
	process.exitCode = stopping.signal.aborted ? 130 : 1;
}
