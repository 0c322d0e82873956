// Entry point of `npm start`; commandLine.mts has its options.
import '../../scripts/endWithNpm.mts';

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { resolveDialect } from '../dialects.mts';
import { InvalidSettingError } from '../errors.mts';
import type { Sandbox } from '../sandbox.mts';
import { type CommandLine, help, parseCommandLine } from './commandLine.mts';
import { createExecutionPrinter, printLine } from './consoleOutput.mts';
import { InstallationError } from './n8n/command.mts';
import type { Execution } from './n8n/messages.mts';
import { findFreePort } from './n8n/ports.mts';
import { getLogTail } from './n8n/process.mts';
import { type Playground, withPlayground } from './playground.mts';
import { check, type CheckResult } from './smokeTest.mts';

const root = join(import.meta.dirname, '../..');

/** Reason of the abort when the user presses Ctrl-C or closes the terminal. */
class Stopped extends Error {}

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(name, () => {
		stopping.abort(new Stopped('Stopped.'));
	});
}
// Writing to a closed terminal fails, but n8n has to be stopped in any case.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
// No other user may read the files that are written from here on.
process.umask(0o077);

function printActivity({ text }: { text: string }): void {
	// Deliveries may fail while n8n stops. The next start sends them.
	if (!stopping.signal.aborted) printLine('sandbox', text);
}

const printExecution = createExecutionPrinter((line) => {
	printLine('n8n', line);
});

function welcome(playground: Playground): string {
	const { editorUrl, login, sandbox, n8nLogFile } = playground;
	return `
Everything is running:

  n8n       ${editorUrl}
            Log in as ${login.email} with the password ${login.password}
  Sandbox   ${sandbox.origin}
            This page simulates your dashboard. Its Mail page shows the emails that n8n sends.

  ${describeWorkflows(playground)}
  ${describeDestination(playground)}
  ${describeAccount(sandbox)}

Try this first:

  1. Open the sandbox, and select "Raise alert". A line about it appears here, and then one about
     the workflow that receives it.
  2. Build your first workflow in n8n. "Your first workflow" in README.md shows each step.

Log file of n8n: ${n8nLogFile}
Press Ctrl+C to stop everything. The next start continues with the same data.
`;
}

function describeWorkflows({ published }: Playground): string {
	return published.length === 0
		? 'No workflow is published in n8n.'
		: `Published workflows in n8n: ${published.join(', ')}.`;
}

function describeDestination({ webhookUrl, receivingWorkflow }: Playground): string {
	if (webhookUrl === undefined) {
		return "The sandbox doesn't send events. To send them to a workflow, open Webhooks in the sandbox.";
	}
	if (receivingWorkflow !== undefined) {
		return `The sandbox sends events to the workflow "${receivingWorkflow}".`;
	}
	return `The sandbox sends events to ${webhookUrl}, but no published workflow listens there.\n  To choose a workflow, open Webhooks in the sandbox.`;
}

function describeAccount(sandbox: Sandbox): string {
	const { settings, books } = sandbox;
	const plan = settings.plan === 'none' ? 'without API access' : settings.plan;
	const pending = books.exchanges('pending', 'incoming').length;
	const account = `Your plan: ${plan}. Pending offers: ${pending}. Credits: ${books.balance()}.`;
	const variants = getChangedVariants(sandbox);
	return variants.length === 0 ? account : `${account} API variants: ${variants.join(', ')}.`;
}

/** Returns the API variants that differ from the defaults. */
function getChangedVariants({ settings }: Sandbox): string[] {
	const defaults: Record<string, unknown> = { ...resolveDialect('plain') };
	return Object.entries(settings.dialect)
		.filter(([name, value]) => defaults[name] !== value)
		.map(([name, value]) => `${name}=${value}`);
}

async function untilStopped(): Promise<void> {
	if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
}

async function run(playground: Playground): Promise<void> {
	// Before the welcome, which counts it.
	playground.sandbox.requestOffers(1);
	console.log(welcome(playground));
	const reason = await Promise.race([playground.n8n.ended, untilStopped()]);
	if (reason !== undefined) {
		throw new InstallationError(
			`n8n stopped by itself (${reason}). These are the last lines of its log file ${playground.n8nLogFile}:\n\n${getLogTail(playground.n8nLogFile)}`,
		);
	}
	console.log('Stopping n8n and the sandbox …');
}

async function startPlayground({
	data,
	n8nPort,
	sandboxPort,
	acceptOffers,
}: CommandLine): Promise<void> {
	const options = {
		data: data ?? join(root, 'sandbox/data'),
		n8nPort,
		sandboxPort,
		demoData: true,
		acceptOffers,
		signal: stopping.signal,
		onActivity: printActivity,
		onExecution: printExecution,
	};
	await withPlayground(options, run);
	console.log('Stopped.');
}

function report(results: CheckResult[]): boolean {
	for (const { title, ok, detail } of results) {
		console.log(ok ? `✓ ${title}` : `✗ ${title}: ${detail}`);
	}
	const failed = results.filter(({ ok }) => !ok).length;
	console.log(`${results.length - failed} passed, ${failed} failed`);
	return failed === 0;
}

/**
 * Runs the unattended check.
 *
 * @returns whether everything passed
 */
async function runCheck(): Promise<boolean> {
	const data = mkdtempSync(join(tmpdir(), 'backlink-exchange-check-'));
	const executions: Execution[] = [];
	let results: CheckResult[] = [];
	const options = {
		data,
		n8nPort: await findFreePort(),
		sandboxPort: await findFreePort(),
		demoData: false,
		acceptOffers: true,
		signal: stopping.signal,
		onActivity: printActivity,
		onExecution: (execution: Execution) => {
			executions.push(execution);
			printExecution(execution);
		},
	};
	try {
		await withPlayground(options, async (playground) => {
			results = await check(playground, executions, stopping.signal);
			if (results.every(({ ok }) => ok)) return;
			console.log(`\nThe last lines of n8n's log:\n\n${getLogTail(playground.n8nLogFile)}\n`);
		});
	} catch (error) {
		results.push({ title: 'n8n and the sandbox run', ok: false, detail: formatError(error) });
	} finally {
		rmSync(data, { recursive: true, force: true });
	}
	return report(results);
}

/** Formats an error for the user. Only unexpected errors include the stack trace. */
function formatError(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	// An aborted timer rejects with an AbortError whose cause is the reason.
	if (error.name === 'AbortError' && error.cause instanceof Error) return formatError(error.cause);
	const isExpected = [InstallationError, InvalidSettingError, Stopped].some(
		(kind) => error instanceof kind,
	);
	return isExpected ? error.message : (error.stack ?? error.message);
}

try {
	const commandLine = parseCommandLine(
		process.argv.slice(2),
		process.env.INIT_CWD ?? process.cwd(),
	);
	if (commandLine.help) console.log(help);
	else if (commandLine.check) process.exitCode = (await runCheck()) ? 0 : 1;
	else await startPlayground(commandLine);
} catch (error) {
	console.error(formatError(error));
	process.exitCode = stopping.signal.aborted ? 130 : 1;
}
