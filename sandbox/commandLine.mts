import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { dialectSettingNames, dialectSettings, maxInteger, numberSettings } from './dialects.mts';
import { InvalidSettingError } from './errors.mts';
import { getMailPort } from './mail/mailServer.mts';
import type { SandboxOptions } from './sandbox.mts';
import { type Plan, plans } from './store/records.mts';

const defaultData = join(import.meta.dirname, 'data', 'sandbox.sqlite');

const help = `Usage: npm run sandbox -- [options]

Simulates the Backlink Exchange Service on your computer: its API, its webhooks and a dashboard.

  --port <number>            port of the API and the dashboard (default: 4100); the mail server has
                             the next one
  --data <file>              SQLite file that all data is saved in, or :memory: to save nothing
                             (default: sandbox/data/sandbox.sqlite)
  --plan <plan>              ${plans.join(', ')}; with none, the API rejects all requests
  --api-variants <variants>  other forms of responses, for example pagination=link,pageSize=5
  --seed <text>              add demo data to a new file; the same text gives the same data
  --api-key <key>            create this API key, unless it exists
  --credits <number>         opening balance of a new file (default: 100, or 250 with --seed)
  --read-only                provide only the read-only endpoints, as before Q3 2026
  --help                     show this help

API variants (the first is the default):
${[
	...dialectSettingNames.map((name) => `  ${name}=${dialectSettings[name].variants.join(' | ')}`),
	...Object.keys(numberSettings).map((name) => `  ${name}=<number>`),
].join('\n')}

Use the dashboard for everything else. Its URL is shown when the sandbox starts.
`;

/**
 * Parses the arguments of `npm run sandbox`.
 *
 * @returns the options, or the text to print instead of starting
 * @throws {InvalidSettingError} for anything that the help doesn't list
 */
export function parseCommand(args: string[]): (SandboxOptions & { data: string }) | string {
	const { values } = readArguments(args);
	if (values.help) return help;
	const port = parseInteger('--port', values.port, 65_534) ?? 0;
	return {
		port,
		mailPort: getMailPort(port),
		data: values.data,
		// Settings validates it.
		plan: values.plan as Plan | undefined,
		dialect: values['api-variants'],
		seed: values.seed,
		apiKey: values['api-key'],
		credits: parseInteger('--credits', values.credits),
		readOnly: values['read-only'],
	};
}

function readArguments(args: string[]) {
	try {
		return parseArgs({
			args,
			options: {
				help: { type: 'boolean', short: 'h' },
				port: { type: 'string', default: '4100' },
				data: { type: 'string', default: defaultData },
				plan: { type: 'string' },
				'api-variants': { type: 'string' },
				seed: { type: 'string' },
				'api-key': { type: 'string' },
				credits: { type: 'string' },
				'read-only': { type: 'boolean' },
			},
		});
	} catch (error) {
		throw new InvalidSettingError(
			`${error instanceof Error ? error.message : String(error)}\nThe option --help shows all options.`,
		);
	}
}

function parseInteger(
	name: string,
	value: string | undefined,
	max = maxInteger,
): number | undefined {
	if (value === undefined) return undefined;
	if (/^\d+$/.test(value) && Number(value) <= max) return Number(value);
	throw new InvalidSettingError(
		`${name} must be a whole number up to ${max}, but it is "${value}".`,
	);
}
