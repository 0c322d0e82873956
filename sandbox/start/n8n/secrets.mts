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
import { writeDataVersion } from './earlierData.mts';

/**
 * Secrets of a data folder, generated once.
 *
 * Only `email` and `password` are ever printed.
 */
export interface Secrets {
	/** Login of n8n's owner. */
	email: string;
	password: string;
	/** n8n encrypts its credentials with it. */
	encryptionKey: string;
	/** Key for the sandbox's API, also in n8n's credential. */
	apiKey: string;
	webhookSecret: string;
}

/**
 * Opens a data folder that only its owner can read, and returns its secrets.
 *
 * A folder that is missing or empty is set up.
 *
 * @throws {InstallationError} if the folder contains something else, or can't be used
 */
export function openDataFolder(folder: string): Secrets {
	try {
		return open(folder);
	} catch (error) {
		if (!(error instanceof Error) || !('code' in error)) throw error;
		throw new InstallationError(
			`${folder} can't be used as the data folder (${error.message}). Choose another folder with --data.`,
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
				`${folder} isn't empty and contains no data of an earlier start. Choose another folder with --data.`,
			);
		}
		writeFileSync(file, `${JSON.stringify(generate(), null, '\t')}\n`, { mode: 0o600 });
		writeDataVersion(folder);
	}
	chmodSync(folder, 0o700);
	chmodSync(file, 0o600);
	return read(file);
}

function generate(): Secrets {
	const random = (): string => randomBytes(24).toString('base64url');
	return {
		email: 'owner@playground.example',
		// n8n requires an uppercase letter and a digit.
		password: `Pb1${randomBytes(12).toString('base64url')}`,
		encryptionKey: random(),
		apiKey: random(),
		// Fits every variant of `hmacKey`.
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
		`${file} isn't complete. Restore it from a copy, or delete the whole folder to start over.`,
	);
}
