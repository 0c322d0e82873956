import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { dialectSettingNames, dialectSettings, numberSettings } from './dialects.mts';
import { InvalidSetting } from './errors.mts';
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

export interface StartOptions {
	port: number;
	data: string;
	plan?: Plan;
	dialect?: string;
	seed?: string;
	apiKey?: string;
	credits?: number;
	readOnly?: boolean;
}

/**
 * Reads the arguments of `npm run sandbox`; a text is what is to be printed instead of a start.
 * @throws InvalidSetting for anything that the help does not list
 */
export function parseCommand(args: string[]): StartOptions | string {
	const values = readArguments(args);
	if (values.help) return help;
	const { plan } = values;
	if (plan !== undefined && !isPlan(plan)) {
		throw new InvalidSetting(`There is no plan "${plan}". Plans: ${plans.join(', ')}.`);
	}
	const port = wholeNumber('--port', values.port) ?? 4100;
	if (port > 65_535) throw new InvalidSetting('--port takes a number up to 65535.');
	return {
		port,
		data: values.data ?? defaultData,
		plan,
		dialect: values.dialect,
		seed: values.seed,
		apiKey: values['api-key'],
		credits: wholeNumber('--credits', values.credits),
		readOnly: values['read-only'],
	};
}

function readArguments(args: string[]) {
	try {
		const options = {
			help: { type: 'boolean', short: 'h' },
			port: { type: 'string' },
			data: { type: 'string' },
			plan: { type: 'string' },
			dialect: { type: 'string' },
			seed: { type: 'string' },
			'api-key': { type: 'string' },
			credits: { type: 'string' },
			'read-only': { type: 'boolean' },
		} as const;
		return parseArgs({ args, options }).values;
	} catch (error) {
		throw new InvalidSetting(
			`${error instanceof Error ? error.message : String(error)}\nSee --help.`,
		);
	}
}

function wholeNumber(name: string, value: string | undefined): number | undefined {
	if (value === undefined) return undefined;
	if (!/^\d{1,9}$/.test(value)) {
		throw new InvalidSetting(`${name} takes a whole number, not "${value}".`);
	}
	return Number(value);
}

function isPlan(plan: string): plan is Plan {
	return (plans as readonly string[]).includes(plan);
}
