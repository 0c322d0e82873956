import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { dialectSettingNames, dialectSettings, maxInteger, numberSettings } from './dialects.mts';
import { InvalidSettingError } from './errors.mts';
import type { SandboxOptions } from './sandbox.mts';
import { type Plan, plans } from './store/records.mts';

const defaultData = join(import.meta.dirname, 'data', 'sandbox.sqlite');

const help = `The Backlink Exchange Service on your desk, with its dashboard.

  npm run sandbox -- [options]

  --port <number>       address http://127.0.0.1:<number>; default 4100
  --data <file>         SQLite file that keeps everything, or :memory:; default sandbox/data/sandbox.sqlite
  --plan <plan>         ${plans.join(', ')}; none is a plan without API access
  --dialect <settings>  what the service's document leaves open, such as pagination=link,pageSize=5
  --seed <text>         fill a new file with demo data; the same seed gives the same data
  --api-key <key>       make sure that this API key exists
  --credits <number>    opening balance of a new file; default 100, or 250 with --seed
  --read-only           only the read-only endpoints, as before Q3 2026
  --help                this text

Settings of a dialect (the first variant is the default):
${[
	...dialectSettingNames.map((name) => `  ${name}=${dialectSettings[name].variants.join(' | ')}`),
	...Object.keys(numberSettings).map((name) => `  ${name}=<number>`),
].join('\n')}

All else is done in the dashboard, at the address where it runs.
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
	return {
		port: parseInteger('--port', values.port, 65_535),
		data: values.data,
		// Settings validates it.
		plan: values.plan as Plan | undefined,
		dialect: values.dialect,
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
				dialect: { type: 'string' },
				seed: { type: 'string' },
				'api-key': { type: 'string' },
				credits: { type: 'string' },
				'read-only': { type: 'boolean' },
			},
		});
	} catch (error) {
		throw new InvalidSettingError(
			`${error instanceof Error ? error.message : String(error)}\nSee --help.`,
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
	throw new InvalidSettingError(`${name} takes a whole number up to ${max}, not "${value}".`);
}
