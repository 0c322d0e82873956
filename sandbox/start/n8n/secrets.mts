import { randomBytes } from 'node:crypto';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { InstallationError } from './command.mts';

/** The secrets of a data folder, generated once. Only `email` and `password` are ever shown. */
export interface Secrets {
	/** The login of n8n's owner. */
	email: string;
	password: string;
	/** The key with which n8n encrypts its credentials. */
	encryptionKey: string;
	/** The key of the sandbox's API, which the credential in n8n has, too. */
	apiKey: string;
	webhookSecret: string;
}

/**
 * Opens the playground's data folder, which nobody but its owner can read, and returns the secrets in it.
 * A folder that is missing or empty is set up.
 * @throws InstallationError when the folder holds something else, or the system refuses it
 */
export function openDataFolder(folder: string): Secrets {
	try {
		return open(folder);
	} catch (error) {
		if (!(error instanceof Error) || !('code' in error)) throw error;
		throw new InstallationError(
			`${folder} cannot be used as the data folder (${error.message}). Choose another with --data.`,
		);
	}
}

function open(folder: string): Secrets {
	const file = join(folder, 'secrets.json');
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	if (!existsSync(file)) {
		// `npm run sandbox` keeps its store in the same folder.
		if (readdirSync(folder).some((name) => !name.startsWith('sandbox.'))) {
			throw new InstallationError(
				`${folder} is not empty, and not a data folder of this playground. Choose another with --data.`,
			);
		}
		writeFileSync(file, `${JSON.stringify(generate(), null, '\t')}\n`, { mode: 0o600 });
	}
	chmodSync(folder, 0o700);
	chmodSync(file, 0o600);
	return read(file);
}

function generate(): Secrets {
	const random = (): string => randomBytes(24).toString('base64url');
	return {
		email: 'owner@playground.example',
		// n8n asks for an upper case letter and a digit; the rest is random.
		password: `Pb1${randomBytes(12).toString('base64url')}`,
		encryptionKey: random(),
		apiKey: random(),
		// Of the kind that fits every dialect, as the sandbox's own.
		webhookSecret: `whsec_${randomBytes(24).toString('base64')}`,
	};
}

function isComplete(value: unknown): value is Secrets {
	if (typeof value !== 'object' || value === null) return false;
	const record = value as Record<string, unknown>;
	return Object.keys(generate()).every((name) => typeof record[name] === 'string');
}

function read(file: string): Secrets {
	try {
		const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
		if (isComplete(value)) return value;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
	}
	throw new InstallationError(
		`${file} is damaged. Put a copy of it back, or delete the whole folder to start over.`,
	);
}
