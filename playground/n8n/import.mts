import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { runCommand } from '../../scripts/command.mjs';
import { InstallationError, showProgress } from '../../scripts/npm.mjs';
import { isPublished, prepareWorkflows } from './preparedWorkflows.mts';
import { n8nProgram } from './process.mts';
import type { Secrets } from './secrets.mts';

export interface ImportOptions {
	installation: string;
	environment: NodeJS.ProcessEnv;
	/** The playground's data folder. */
	data: string;
	secrets: Secrets;
	/** The sandbox's address for the credential. */
	baseUrl: string;
	signal: AbortSignal;
}

/** What has been imported, so that a later start leaves the user's changes alone. */
interface Imported {
	credentialBaseUrl?: string;
	workflows: string[];
}

const credential = { id: 'backlinkExchangeSandbox', name: 'Backlink Exchange (sandbox)' };

/**
 * Imports the credential for the sandbox and the ready-made workflows, and publishes those that need nothing else. What an earlier start has
 * imported stays as it is, except that the credential follows the sandbox to another port.
 */
export async function importIntoN8n(options: ImportOptions): Promise<void> {
	const recordFile = join(options.data, 'imported.json');
	const imported = existsSync(recordFile)
		? (JSON.parse(readFileSync(recordFile, 'utf8')) as Imported)
		: { workflows: [] };
	const record = (): void => {
		writeFileSync(recordFile, `${JSON.stringify(imported, null, '\t')}\n`);
	};
	const workflows = prepareWorkflows(credential).filter(
		({ id }) => !imported.workflows.includes(id),
	);
	const moved = imported.credentialBaseUrl !== options.baseUrl;
	if (!moved && workflows.length === 0) return;

	const finished = showProgress('Setting up n8n: credential and workflows', '10 to 20 seconds');
	let outcome = 'failed';
	try {
		if (moved) {
			await importCredential(options);
			imported.credentialBaseUrl = options.baseUrl;
			record();
		}
		if (workflows.length > 0) await importFile('workflow', workflows, options);
		for (const { id } of workflows.filter(isPublished)) {
			await runN8n(['publish:workflow', `--id=${id}`], options);
		}
		imported.workflows.push(...workflows.map(({ id }) => id));
		record();
		outcome = 'done';
	} finally {
		finished(outcome);
	}
}

/** Runs one of n8n's own commands, each of which takes 2 to 4 seconds. */
async function runN8n(args: string[], options: ImportOptions): Promise<void> {
	const { installation, environment, data, signal } = options;
	const { code, output } = await runCommand(process.execPath, [n8nProgram(installation), ...args], {
		cwd: data,
		env: environment,
		signal,
	});
	if (code === 0) return;
	throw new InstallationError(`n8n ${args.join(' ')} failed:\n\n${output.trim()}`);
}

/** Hands something to one of n8n's import commands, in a file that only its owner can read and that is gone afterwards. */
async function importFile(kind: string, content: unknown, options: ImportOptions): Promise<void> {
	const folder = mkdtempSync(join(options.data, 'import-'));
	try {
		const file = join(folder, 'import.json');
		writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
		await runN8n([`import:${kind}`, `--input=${file}`], options);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function importCredential(options: ImportOptions): Promise<void> {
	const { apiKey, webhookSecret } = options.secrets;
	const data = { baseUrl: options.baseUrl, apiKey, webhookSecret };
	await importFile('credentials', [{ ...credential, type: 'backlinkExchangeApi', data }], options);
}
