import { join } from 'node:path';
import { parseArgs } from 'node:util';

import {
	dialectNames,
	dialectSettingNames,
	dialectVariants,
	numberSettingNames,
} from './dialects.mts';
import { InvalidSetting } from './errors.mts';
import { faultKinds } from './faults.mts';
import { eventNames, type Plan, plans } from './store/records.mts';

const defaultPort = 4100;
const defaultData = join(import.meta.dirname, '..', 'playground', 'data', 'sandbox.sqlite');

const help = `The Backlink Exchange Service on your desk, with its dashboard.

  npm run sandbox -- [options]                start it
  npm run sandbox -- event <name> [options]   make something happen in a running one
  npm run sandbox -- set <setting> <value>    change a running one
  npm run sandbox -- fault <kind> [options]   let the next requests or deliveries of a running one go wrong
  npm run sandbox -- faults-off               end all faults
  npm run sandbox -- dialects                 list the dialects and their settings
  npm run sandbox -- faults                   list the faults

Options to start it:
  --port <number>       address http://127.0.0.1:<number>; default ${defaultPort}
  --data <file>         SQLite file that keeps everything, or :memory:; default playground/data/sandbox.sqlite
  --plan <plan>         ${plans.join(', ')}; none is a plan without API access
  --dialect <dialect>   a name, setting=variant or a .json file (such as the probe's report), or several of them with commas between
  --seed <text>         fill a new file with demo data; the same seed gives the same data
  --api-key <key>       make sure that this API key exists
  --credits <number>    opening balance of a new file; default 100, or 250 with --seed
  --read-only           only the read-only endpoints, as before Q3 2026

Events: ${eventNames.join(', ')}
  --exchange <id>       which exchange; by default the next one that fits
  --severity <text>, --type <text>, --detail <text>             of an alert
  --from-site <url>, --to-site <url>, --anchor <text>, --cost <number>   of an offer

Settings: plan <plan>, dialect <dialect>, credits <number>, read-only on|off, verification verified|rejected

Options of a fault:
  --times <number>      for how many requests or deliveries; default 1
  --method <method>, --path <beginning>, --event <name>         only these
  --milliseconds <number>, --status <number>                    of a delay, of an error

  --port <number>       which running sandbox; default ${defaultPort}
  --help                this text
`;

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
	exchange: { type: 'string' },
	severity: { type: 'string' },
	type: { type: 'string' },
	detail: { type: 'string' },
	'from-site': { type: 'string' },
	'to-site': { type: 'string' },
	anchor: { type: 'string' },
	cost: { type: 'string' },
	times: { type: 'string' },
	method: { type: 'string' },
	path: { type: 'string' },
	event: { type: 'string' },
	milliseconds: { type: 'string' },
	status: { type: 'string' },
} as const;

type OptionName = keyof typeof options;

const optionsOf: Record<string, OptionName[]> = {
	start: ['port', 'data', 'plan', 'dialect', 'seed', 'api-key', 'credits', 'read-only'],
	event: [
		'port',
		'exchange',
		'severity',
		'type',
		'detail',
		'from-site',
		'to-site',
		'anchor',
		'cost',
	],
	set: ['port'],
	fault: ['port', 'times', 'method', 'path', 'event', 'milliseconds', 'status'],
	'faults-off': ['port'],
};

export type Command =
	| { name: 'print'; text: string }
	| { name: 'start'; options: StartOptions }
	/** A request to a running sandbox. */
	| { name: 'control'; port: number; path: string; body: Record<string, unknown>; done: string };

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

/** @throws InvalidSetting for anything that the help does not list */
export function parseCommand(args: string[]): Command {
	const { values, positionals } = readArguments(args);
	if (values.help) return { name: 'print', text: help };
	const [command = 'start', ...words] = positionals;
	if (command === 'dialects') return { name: 'print', text: dialectList() };
	if (command === 'faults') return { name: 'print', text: `${faultKinds.join('\n')}\n` };
	const known = optionsOf[command];
	if (!known) throw new InvalidSetting(`There is no command "${command}". See --help.`);
	const foreign = Object.keys(values).find((name) => !known.includes(name as OptionName));
	if (foreign !== undefined) {
		throw new InvalidSetting(`The option --${foreign} does not go with ${command}. See --help.`);
	}
	const mostWords: Record<string, number> = { event: 1, fault: 1, set: 2 };
	if (words.length > (mostWords[command] ?? 0)) {
		throw new InvalidSetting(`"${words.at(-1) ?? ''}" is more than ${command} takes. See --help.`);
	}
	const port = wholeNumber('--port', values.port) ?? defaultPort;
	if (port > 65_535) throw new InvalidSetting('--port takes a number up to 65535.');
	switch (command) {
		case 'event':
			return { name: 'control', port, ...eventOrder(words[0], values) };
		case 'set':
			return { name: 'control', port, ...settingOrder(words) };
		case 'fault':
			return { name: 'control', port, ...faultOrder(words[0], values) };
		case 'faults-off':
			return {
				name: 'control',
				port,
				path: '/faults/clear',
				body: {},
				done: 'All faults are off.',
			};
		default:
			return { name: 'start', options: startOptions(port, values) };
	}
}

type Values = ReturnType<typeof readArguments>['values'];
type Order = Pick<Extract<Command, { name: 'control' }>, 'path' | 'body' | 'done'>;

function readArguments(args: string[]) {
	try {
		return parseArgs({ args, options, allowPositionals: true });
	} catch (error) {
		throw new InvalidSetting(
			`${error instanceof Error ? error.message : String(error)}\nSee --help.`,
		);
	}
}

function startOptions(port: number, values: Values): StartOptions {
	const { plan } = values;
	if (plan !== undefined && !isPlan(plan)) {
		throw new InvalidSetting(`There is no plan "${plan}". Plans: ${plans.join(', ')}.`);
	}
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

function eventOrder(event: string | undefined, values: Values): Order {
	if (event === undefined || !(eventNames as readonly string[]).includes(event)) {
		throw new InvalidSetting(`Which event? One of ${eventNames.join(', ')}.`);
	}
	const body = defined({
		event,
		exchangeId: values.exchange,
		severity: values.severity,
		type: values.type,
		detail: values.detail,
		fromSite: values['from-site'],
		toSite: values['to-site'],
		anchor: values.anchor,
		cost: wholeNumber('--cost', values.cost),
	});
	return { path: '/event', body, done: `${event} has happened.` };
}

function settingOrder([setting, value]: string[]): Order {
	if (value === undefined) {
		throw new InvalidSetting('Say what to set, and to what: set plan agency. See --help.');
	}
	const done = `${setting ?? ''} is now ${value}.`;
	switch (setting) {
		case 'plan':
			return { path: '/plan', body: { plan: value }, done };
		case 'dialect':
			return { path: '/dialect', body: { dialect: value }, done };
		case 'credits':
			return { path: '/credits', body: { credits: wholeNumber('credits', value) }, done };
		case 'verification':
			return { path: '/verification', body: { outcome: value }, done };
		case 'read-only':
			if (value !== 'on' && value !== 'off') throw new InvalidSetting('read-only is on or off.');
			return { path: '/read-only', body: { readOnly: value === 'on' }, done };
		default:
			throw new InvalidSetting(`There is no setting "${setting ?? ''}". See --help.`);
	}
}

function faultOrder(kind: string | undefined, values: Values): Order {
	if (kind === undefined || !faultKinds.includes(kind)) {
		throw new InvalidSetting(`Which fault? One of ${faultKinds.join(', ')}.`);
	}
	const { method, path, event } = values;
	const body = defined({
		kind,
		method,
		path,
		event,
		times: wholeNumber('--times', values.times),
		milliseconds: wholeNumber('--milliseconds', values.milliseconds, true),
		status: wholeNumber('--status', values.status),
	});
	return { path: '/faults', body, done: `${kind} is on.` };
}

function wholeNumber(
	name: string,
	value: string | undefined,
	mayBeNegative = false,
): number | undefined {
	if (value === undefined) return undefined;
	if (!(mayBeNegative ? /^-?\d{1,9}$/ : /^\d{1,9}$/).test(value)) {
		throw new InvalidSetting(`${name} takes a whole number, not "${value}".`);
	}
	return Number(value);
}

function isPlan(plan: string): plan is Plan {
	return (plans as readonly string[]).includes(plan);
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function dialectList(): string {
	const settings = dialectSettingNames.map(
		(setting) => `  ${setting}=${dialectVariants[setting].join(' | ')}`,
	);
	return [
		`Dialects: ${dialectNames.join(', ')}`,
		'Settings (the first variant is the plain one):',
		...settings,
		`  ${numberSettingNames.map((name) => `${name}=<number>`).join(', ')}`,
		'',
	].join('\n');
}
