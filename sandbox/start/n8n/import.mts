import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { InstallationError, runStep } from './command.mts';
import {
	type Credentials,
	isPublished,
	liveWorkflow,
	prepareWorkflows,
} from './preparedWorkflows.mts';
import { n8nProgram } from './process.mts';
import type { Secrets } from './secrets.mts';

export interface ImportOptions {
	installation: string;
	environment: NodeJS.ProcessEnv;
	/** The data folder of `npm start`. */
	data: string;
	secrets: Secrets;
	/** Base URL of the credential. */
	baseUrl: string;
	/** Webhook secret of the credential. */
	webhookSecret: string;
	/** Port of the sandbox's mail server. */
	mailPort: number;
	/** Also imports and publishes the live copy of the workflow that accepts offers. */
	acceptOffers: boolean;
	signal: AbortSignal;
	/** Gets the output of n8n's commands. */
	logFile: string;
}

/** Record of the imports, so that a later start leaves the user's changes alone. */
interface Imported {
	/** Hash of the credentials' values. */
	credential?: string;
	workflows: string[];
}

const recordName = 'imported.json';
const credentials: Credentials = {
	backlinkExchangeApi: { id: 'backlinkExchangeSandbox', name: 'Backlink Exchange (sandbox)' },
	smtp: { id: 'sandboxMailServer', name: 'Mail server (sandbox)' },
};

/**
 * Imports the credentials and the ready-made workflows, and publishes those that need nothing else.
 *
 * Later starts import only what is new. They update the credentials if the sandbox's port or secret
 * has changed. A workflow that the user has unpublished stays unpublished.
 */
export async function importIntoN8n(options: ImportOptions): Promise<void> {
	const imported = readRecord(options.data);
	const record = (): void => {
		writeRecord(options.data, imported);
	};
	const workflows = prepareWorkflows(credentials, options.acceptOffers).filter(
		({ id }) => !imported.workflows.includes(id),
	);
	const isChanged = imported.credential !== credentialDigest(options);
	const publish = workflows.filter(isPublished).map(({ id }) => id);
	if (options.acceptOffers) publish.push(liveWorkflow);
	if (!isChanged && workflows.length === 0 && publish.length === 0) return;

	console.log('Importing the credentials and the workflows into n8n (up to 2 minutes) …');
	if (isChanged) {
		await importCredentials(options);
		imported.credential = credentialDigest(options);
		record();
	}
	if (workflows.length > 0) await importFile('workflow', workflows, options);
	for (const id of publish) await runN8n(['publish:workflow', `--id=${id}`], options);
	imported.workflows.push(...workflows.map(({ id }) => id));
	record();
}

/** Updates the secret of the credential while n8n runs. */
export async function importSecret(options: ImportOptions): Promise<void> {
	await importCredentials(options);
	writeRecord(options.data, { ...readRecord(options.data), credential: credentialDigest(options) });
}

function readRecord(data: string): Imported {
	const file = join(data, recordName);
	if (!existsSync(file)) return { workflows: [] };
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as Imported;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		throw new InstallationError(
			`${file} isn't valid JSON. Restore it from a copy, or delete the whole folder to start over.`,
		);
	}
}

function writeRecord(data: string, imported: Imported): void {
	const file = join(data, recordName);
	// Renamed, so that the file is complete even if the process is killed.
	writeFileSync(`${file}.new`, `${JSON.stringify(imported, null, '\t')}\n`);
	renameSync(`${file}.new`, file);
}

/** Returns a hash of the credentials' values: it shows a change without storing a secret. */
function credentialDigest({ baseUrl, webhookSecret, mailPort, secrets }: ImportOptions): string {
	return createHash('sha256')
		.update(JSON.stringify([baseUrl, webhookSecret, mailPort, secrets.apiKey]))
		.digest('hex');
}

/** Runs a command of n8n, which takes 2 to 4 seconds. */
async function runN8n(args: string[], options: ImportOptions): Promise<void> {
	const { installation, environment, data, signal, logFile } = options;
	await runStep(process.execPath, [n8nProgram(installation), ...args], {
		cwd: data,
		env: environment,
		signal,
		logFile,
		failure: `n8n couldn't be set up: its command ${args[0] ?? ''} failed.`,
	});
}

/** Imports content from a temporary file that only its owner can read. */
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

async function importCredentials(options: ImportOptions): Promise<void> {
	const { baseUrl, webhookSecret, mailPort, secrets } = options;
	const data: Record<keyof Credentials, object> = {
		backlinkExchangeApi: { baseUrl, apiKey: secrets.apiKey, webhookSecret },
		smtp: { host: '127.0.0.1', port: mailPort, secure: false, user: '', password: '' },
	};
	const types = Object.keys(credentials) as (keyof Credentials)[];
	const content = types.map((type) => ({ ...credentials[type], type, data: data[type] }));
	await importFile('credentials', content, options);
}
