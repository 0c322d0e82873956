import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { getMailPort } from '../mail/mailServer.mts';
import { InstallationError } from './n8n/command.mts';

export interface CommandLine {
	help: boolean;
	check: boolean;
	/** Absolute path. Default: sandbox/data, or a temporary folder for a check. */
	data: string | undefined;
	n8nPort: number;
	sandboxPort: number;
	/** Publishes a live copy of the workflow that accepts offers. */
	acceptOffers: boolean;
}

export const help = `Usage: npm start -- [options]

Starts the sandbox of the Backlink Exchange Service and an n8n that has this package, a credential
for the sandbox and the ready-made workflows. Your changes are kept for the next start.

  --n8n-port <number>      port of n8n (default: 5678)
  --sandbox-port <number>  port of the sandbox (default: 4100); its mail server has the next one
  --data <folder>          where all data is saved (default: sandbox/data);
                           delete the folder to start over
  --accept-offers          also publish a live copy of the workflow Scheduled auto-accept, which
                           accepts offers every 10 seconds and spends the sandbox's credits;
                           without it, offers wait for you
  --check                  run a test without any input: start everything in a temporary folder on
                           free ports, create an offer and an alert, and check that the workflows
                           handle them; the exit code is 0 if they do, otherwise 1
  --help                   show this help

The first start installs n8n in your cache folder. This takes 2 to 5 minutes and needs 2.2 GB.`;

/**
 * Parses the arguments of `npm start`.
 *
 * @param cwd base of relative folders
 * @throws {InstallationError} for anything that the help doesn't list
 */
export function parseCommandLine(args: string[], cwd: string): CommandLine {
	let values;
	try {
		({ values } = parseArgs({
			args,
			options: {
				help: { type: 'boolean', default: false },
				check: { type: 'boolean', default: false },
				'accept-offers': { type: 'boolean', default: false },
				data: { type: 'string' },
				'n8n-port': { type: 'string', default: '5678' },
				'sandbox-port': { type: 'string', default: '4100' },
			},
		}));
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new InstallationError(`${reason}\n\n${help}`);
	}
	const n8nPort = parsePort('--n8n-port', values['n8n-port']);
	const sandboxPort = parsePort('--sandbox-port', values['sandbox-port'], 65_534);
	if (n8nPort === sandboxPort || n8nPort === getMailPort(sandboxPort)) {
		throw new InstallationError(
			`n8n and the sandbox can't both use port ${n8nPort}. Choose two different ports. The sandbox also needs the port after its own, for its mail server.`,
		);
	}
	if (values.check && values.data !== undefined) {
		throw new InstallationError(
			'--check always uses its own temporary folder. Remove --data or --check.',
		);
	}
	return {
		help: values.help,
		check: values.check,
		data: values.data === undefined ? undefined : resolve(cwd, values.data),
		n8nPort,
		sandboxPort,
		acceptOffers: values['accept-offers'],
	};
}

function parsePort(flag: string, value: string, max = 65_535): number {
	const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
	if (port >= 1 && port <= max) return port;
	throw new InstallationError(
		`${flag} must be a port number from 1 to ${max}, but it is "${value}".`,
	);
}
