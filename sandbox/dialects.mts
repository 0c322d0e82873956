/**
 * The answers that service-api.md leaves open. Each setting is one thing that the document does not show, with every variant
 * that a client has to live with; the first variant is the plain default. A dialect is one variant of each setting.
 */
import { readFileSync } from 'node:fs';

import { InvalidSetting } from './errors.mts';
import { namedDialects } from './namedDialects.mts';

export const dialectVariants = {
	/** The shape of GET /exchanges and /watchdog/events; that of GET /sites is documented, an object with the key sites. */
	listShape: ['resource', 'array', 'data', 'items', 'results', 'data-resource'],
	/**
	 * What GET /exchanges shows: everything; the state of `listLagSeconds` ago; only what is pending, always or when no status is
	 * asked for; everything but what is accepted.
	 */
	exchangeList: ['all', 'lagging', 'pending-only', 'pending-unless-filtered', 'without-accepted'],
	/** The key of the resource "watchdog event" in a list. */
	watchdogKey: ['events', 'watchdog_events'],
	/** The key of the ledger entries beside the documented balance. */
	ledgerKey: ['ledger', 'entries', 'ledger_entries', 'transactions'],
	pagination: [
		'none',
		'link',
		'link-other-origin',
		'has-more',
		'next-url',
		'next-cursor',
		'next-page',
	],
	/** The status and body with which POST /sites is answered. */
	createSite: [
		'201-record',
		'200-record',
		'202-record',
		'201-envelope',
		'200-envelope',
		'202-envelope',
		'201-data',
		'200-data',
		'202-data',
		'201-empty',
		'200-empty',
		'202-empty',
	],
	/** The status and body with which a successful accept is answered. */
	accept: [
		'200-record',
		'200-envelope',
		'200-data',
		'202-record',
		'202-envelope',
		'202-data',
		'204-empty',
	],
	/** The record in the answer to a successful accept; `foreign` is another exchange's, `still-pending` the right one as it was before. */
	acceptRecord: ['own', 'foreign', 'still-pending'],
	/** When an accept takes effect. `later` answers 202 and settles after `settlementSeconds`; `never` answers 202 and does nothing more. */
	settlement: ['at-once', 'later', 'never'],
	/** The answer to the accept of an exchange that is not pending. With `200-charged-again`, the worst that a service could do, it costs credits a second time. */
	acceptAgain: ['409', '404', '422', '400', '200', '200-charged-again'],
	insufficientCredits: ['402', '400', '403', '409', '422'],
	limitExceeded: ['retry-after-json', 'json', 'retry-after-text', 'text', 'retry-date-json'],
	rateLimitReset: ['epoch-seconds', 'epoch-milliseconds', 'delta-seconds', 'iso-8601', 'http-date'],
	invalidToken: ['401-json', '403-json', '401-text', '403-text', '401-html', '403-html'],
	/** The body of the other errors: as documented, or what a proxy in front of the service puts in its place. */
	errorBody: ['documented', 'html', 'text'],
	/** The status of the other errors: that of the error, or 200 with the documented error object or `success: false` in the body. */
	errorStatus: ['error', '200-error-object', '200-success-false'],
	signatureEncoding: ['hex', 'hex-upper', 'base64', 'base64url'],
	/** How the signature stands in X-PB-Signature; `several` puts one made with a retired secret before the right one. */
	signatureHeader: [
		'bare',
		'prefix-sha256',
		'prefix-v1-equals',
		'prefix-v1-comma',
		'several-by-comma',
		'several-by-space',
		'timestamped',
	],
	/** `timestamp-body` puts the signature into a timestamped header, because the receiver has to learn the timestamp. */
	signedContent: ['body', 'timestamp-body'],
	hmacKey: ['utf8', 'whsec-base64'],
	wrapper: [
		'bare',
		'event-data',
		'event-payload',
		'type-data',
		'type-payload',
		'flat',
		'header',
		'array-bare',
		'array-event-data',
		'array-flat',
	],
	delivery: ['once', 'repeated', 'late', 'out-of-order', 'concurrent'],
	/** The form of times in exchanges and events; created_at of a site is documented, ISO 8601. */
	times: ['iso-8601-milliseconds', 'iso-8601-seconds', 'epoch-seconds', 'epoch-milliseconds'],
	/** What from_site and to_site of an exchange hold. */
	siteReference: ['url', 'id', 'object'],
} as const;

export type DialectSetting = keyof typeof dialectVariants;
type Variants = { [Setting in DialectSetting]: (typeof dialectVariants)[Setting][number] };

export interface Dialect extends Variants {
	/** Records on one page, where there are pages. */
	pageSize: number;
	/** By how much the list of exchanges is behind, where it is. */
	listLagSeconds: number;
	/** By how much the balance and the ledger are behind what was paid. */
	balanceLagSeconds: number;
	/** How long it takes until an accept that settles later takes effect. */
	settlementSeconds: number;
	/** By how much the service's clock is ahead, or if negative behind, in the Date and reset headers and in signed timestamps. */
	clockSkewSeconds: number;
}

export const dialectSettingNames = Object.keys(dialectVariants) as DialectSetting[];
const numberSettings = {
	pageSize: { default: 50, least: 1 },
	listLagSeconds: { default: 30, least: 0 },
	balanceLagSeconds: { default: 0, least: 0 },
	settlementSeconds: { default: 5, least: 0 },
	clockSkewSeconds: { default: 0, least: -1e9 },
};
/** The largest number of seconds, milliseconds or records that anything takes: a timer, a date and the store can still hold it. */
export const largestNumber = 1e9;
export const numberSettingNames = Object.keys(numberSettings) as (keyof typeof numberSettings)[];

const plain = {
	...Object.fromEntries(
		dialectSettingNames.map((setting) => [setting, dialectVariants[setting][0]]),
	),
	...Object.fromEntries(numberSettingNames.map((name) => [name, numberSettings[name].default])),
} as unknown as Dialect;

const named: Record<string, Partial<Dialect>> = namedDialects;
export const dialectNames: readonly string[] = Object.keys(named);

/** Every dialect that differs from the plain one in a single variant, for tests that go through all of them. */
export function singleVariants(
	setting?: DialectSetting,
): { name: string; setting: DialectSetting; settings: Partial<Dialect> }[] {
	const settings = setting ? [setting] : dialectSettingNames;
	return settings.flatMap((each) =>
		dialectVariants[each].map((variant) => ({
			name: `${each}=${variant}`,
			setting: each,
			settings: { [each]: variant },
		})),
	);
}

/**
 * A whole dialect from a name, single settings, or both.
 *
 * As text: names, `setting=variant` and files (a part that ends in `.json`, an object of settings), separated by commas; a later
 * part overrides an earlier one. Example: `enveloped,pagination=link`.
 *
 * @throws InvalidSetting for an unknown name, setting or variant; the message lists the known ones
 */
export function resolveDialect(dialect: string | Partial<Dialect> | undefined): Dialect {
	if (dialect === undefined) return { ...plain };
	if (typeof dialect !== 'string') return { ...plain, ...checkSettings(dialect) };
	return dialect
		.split(',')
		.reduce<Dialect>((whole, part) => ({ ...whole, ...partSettings(part.trim()) }), { ...plain });
}

/** @throws InvalidSetting when it is no object of known settings with known variants */
export function checkSettings(settings: unknown): Partial<Dialect> {
	if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
		throw new InvalidSetting('A dialect is an object of settings, such as {"pagination": "link"}.');
	}
	for (const [name, value] of Object.entries(settings)) {
		if (Object.hasOwn(numberSettings, name)) {
			const { least } = numberSettings[name as keyof typeof numberSettings];
			const number = Number.isInteger(value) ? (value as number) : NaN;
			if (!(number >= least && number <= largestNumber)) {
				throw new InvalidSetting(
					`The dialect setting ${name} takes a whole number from ${least} to ${largestNumber}, not ${JSON.stringify(value)}.`,
				);
			}
			continue;
		}
		if (!Object.hasOwn(dialectVariants, name)) {
			throw new InvalidSetting(
				`There is no dialect setting "${name}". Known settings: ${[...dialectSettingNames, ...Object.keys(numberSettings)].join(', ')}.`,
			);
		}
		const variants: readonly string[] = dialectVariants[name as DialectSetting];
		if (!variants.includes(value as string)) {
			throw new InvalidSetting(
				`The dialect setting ${name} has no variant ${JSON.stringify(value)}. Its variants: ${variants.join(' | ')}.`,
			);
		}
	}
	return settings;
}

/** Whether a part of a dialect's text is a file. */
export function namesFile(dialect: string): boolean {
	return /\.json\s*(,|$)/.test(dialect);
}

function partSettings(part: string): Partial<Dialect> {
	if (part.endsWith('.json')) return fileSettings(part);
	const equals = part.indexOf('=');
	if (equals > 0) {
		const name = part.slice(0, equals).trim();
		const value = part.slice(equals + 1).trim();
		return checkSettings({ [name]: name in numberSettings ? Number(value) : value });
	}
	const settings = named[part];
	if (!settings || !Object.hasOwn(named, part)) {
		throw new InvalidSetting(
			`There is no dialect "${part}". Known dialects: ${dialectNames.join(', ')}. Single settings look like pagination=link.`,
		);
	}
	return settings;
}

function fileSettings(file: string): Partial<Dialect> {
	let content: unknown;
	try {
		content = JSON.parse(readFileSync(file, 'utf8'));
	} catch (error) {
		throw new InvalidSetting(
			`The dialect file ${file} cannot be read (${error instanceof Error ? error.message : String(error)}).`,
		);
	}
	return checkSettings(isReport(content) ? content.dialect : content);
}

/** Whether a file is a report that `npm run probe` wrote: the settings of a real service, beside what was found out. */
function isReport(content: unknown): content is { dialect: unknown } {
	return (
		typeof content === 'object' && content !== null && 'probe' in content && 'dialect' in content
	);
}
