/**
 * The forms that service-api.md leaves open.
 *
 * Each setting stands for one thing that the document doesn't show, with the variants that a client
 * has to support. The first variant is the default. A dialect is one variant of each setting.
 */
import { InvalidSettingError } from './errors.mts';

/** Each setting has a description for the dashboard. */
export const dialectSettings = {
	listShape: {
		about: 'What surrounds the records of a list. (That of the sites is documented.)',
		variants: ['resource', 'array', 'data', 'items', 'results'],
	},
	emptyList: {
		about:
			'What stands in the place of an empty list: an empty array, null, or a 204 without a body.',
		variants: ['array', 'null', '204'],
	},
	exchangeList: {
		about:
			'Whether the list of offers shows everything, or only what is pending unless a status is asked for.',
		variants: ['all', 'pending-unless-filtered'],
	},
	watchdogKey: {
		about: 'The field that holds the alerts.',
		variants: ['events', 'watchdog_events'],
	},
	ledgerKey: {
		about: 'The field that holds the ledger entries.',
		variants: ['ledger', 'entries', 'ledger_entries', 'transactions'],
	},
	pagination: {
		about: 'How a list says that it has more pages.',
		variants: [
			'none',
			'link',
			'link-other-origin',
			'has-more',
			'next-url',
			'next-cursor',
			'next-page',
		],
	},
	createSite: {
		about: 'The status of the answer to a new site, and what its body holds.',
		variants: [
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
	},
	accept: {
		about: 'The status of the answer to an accept, and what its body holds.',
		variants: [
			'200-record',
			'200-envelope',
			'200-data',
			'202-record',
			'202-envelope',
			'202-data',
			'204-empty',
		],
	},
	acceptAgain: {
		about:
			'The status of the response to the accept of an offer that is not pending. With charged, it is 200, and costs credits again.',
		variants: ['409', '404', '422', '400', '200', 'charged'],
	},
	insufficientCredits: {
		about: 'The status when the credits do not suffice.',
		variants: ['402', '400', '403', '409', '422'],
	},
	limitExceeded: {
		about:
			'The response when the rate limit is reached: a 429, and whether it shows how long to wait, or a 403 with a code or with the rate limit headers only.',
		variants: ['retry-after-json', 'json', 'retry-after-text', 'text', '403-json', '403-text'],
	},
	rateLimitReset: {
		about: 'The format of the header X-RateLimit-Reset.',
		variants: ['epoch-seconds', 'epoch-milliseconds', 'delta-seconds', 'iso-8601', 'http-date'],
	},
	invalidToken: {
		about: 'Status and body of the answer to a wrong API key.',
		variants: ['401-json', '403-json', '401-text', '403-text', '401-html', '403-html'],
	},
	errorBody: {
		about:
			'The body of other errors: as documented, or as something in front of the service writes it.',
		variants: ['documented', 'html', 'text'],
	},
	signatureEncoding: {
		about: 'The encoding of the signature.',
		variants: ['hex', 'base64', 'base64url'],
	},
	signatureHeader: {
		about:
			'How the signature stands in X-PB-Signature. Where there are several, the first was made with a retired secret.',
		variants: [
			'bare',
			'prefix-sha256',
			'prefix-v1-equals',
			'prefix-v1-comma',
			'several-by-comma',
			'several-by-space',
			'prefix-other',
			'quoted',
		],
	},
	signedContent: {
		about: 'What is signed: the body, or a time and the body (the header is then t=…,v1=…).',
		variants: ['body', 'timestamp-body'],
	},
	hmacKey: {
		about: 'Whether the secret is the key as it is, or whsec_ and the key in base64.',
		variants: ['utf8', 'whsec-base64'],
	},
	wrapper: {
		about: 'How a delivery names its event.',
		variants: [
			'bare',
			'event-data',
			'event-payload',
			'type-data',
			'type-payload',
			'flat',
			'array-bare',
			'array-event-data',
			'array-flat',
		],
	},
	requestedEvents: {
		about:
			'Which offers send exchange.requested: only those from partners, or your own offers to partners too.',
		variants: ['incoming', 'all'],
	},
	times: {
		about:
			'The format of the times of offers, alerts and events. (That of the sites is documented.)',
		variants: [
			'iso-8601-milliseconds',
			'iso-8601-seconds',
			'epoch-seconds',
			'epoch-milliseconds',
			'http-date',
			'iso-8601-offset',
			'iso-8601-space',
		],
	},
	balance: {
		about: 'Whether the three figures of the balance are numbers or text of digits.',
		variants: ['numbers', 'text'],
	},
} as const;

export const numberSettings = {
	pageSize: { about: 'Records on one page, where there are pages.', default: 50, min: 1 },
	clockSkewSeconds: {
		about: "By how much the service's clock is ahead, or if negative behind.",
		default: 0,
		min: -1e9,
	},
};

export type DialectSetting = keyof typeof dialectSettings;
type NumberSetting = keyof typeof numberSettings;
type Variant<Setting extends DialectSetting> =
	(typeof dialectSettings)[Setting]['variants'][number];
export type Dialect = { [Setting in DialectSetting]: Variant<Setting> } & Record<
	NumberSetting,
	number
>;

export const dialectSettingNames = Object.keys(dialectSettings) as DialectSetting[];
export const numberSettingNames = Object.keys(numberSettings) as NumberSetting[];
/**
 * Upper limit for seconds, milliseconds and numbers of records.
 *
 * A timer, a date and the store can still hold it.
 */
export const maxInteger = 1e9;

const defaultDialect = Object.fromEntries([
	...dialectSettingNames.map((name) => [name, dialectSettings[name].variants[0]]),
	...numberSettingNames.map((name) => [name, numberSettings[name].default]),
]) as Dialect;

/**
 * Returns one dialect per variant of a setting, with defaults for everything else.
 *
 * For tests that go through all variants.
 */
export function singleVariants(
	setting: DialectSetting,
): { name: string; settings: Partial<Dialect> }[] {
	return dialectSettings[setting].variants.map((variant) => ({
		name: `${setting}=${variant}`,
		settings: { [setting]: variant },
	}));
}

/**
 * Completes and validates a dialect.
 *
 * @param dialect text such as `pagination=link,pageSize=5`, based on the defaults (`plain`: only
 * defaults), or an object of settings, based on `base`
 * @throws {InvalidSettingError} for an unknown setting or variant; the message lists the known ones
 */
export function resolveDialect(
	dialect: string | Partial<Dialect> = {},
	base = defaultDialect,
): Dialect {
	const settings = typeof dialect === 'string' ? parseSettings(dialect) : dialect;
	for (const [name, value] of Object.entries(settings)) assertVariant(name, value);
	return { ...(typeof dialect === 'string' ? defaultDialect : base), ...settings };
}

/**
 * @throws {InvalidSettingError} for an unknown setting, or a variant that the setting doesn't have
 */
function assertVariant(name: string, value: unknown): void {
	if (Object.hasOwn(numberSettings, name)) {
		const { min } = numberSettings[name as NumberSetting];
		const number = Number.isInteger(value) ? (value as number) : NaN;
		if (number >= min && number <= maxInteger) return;
		throw new InvalidSettingError(
			`The dialect setting ${name} takes a whole number from ${min} to ${maxInteger}, not ${JSON.stringify(value)}.`,
		);
	}
	if (!Object.hasOwn(dialectSettings, name)) {
		throw new InvalidSettingError(
			`There is no dialect setting "${name}". Known settings: ${[...dialectSettingNames, ...numberSettingNames].join(', ')}.`,
		);
	}
	const variants: readonly string[] = dialectSettings[name as DialectSetting].variants;
	if (!variants.includes(value as string)) {
		throw new InvalidSettingError(
			`The dialect setting ${name} has no variant ${JSON.stringify(value)}. Its variants: ${variants.join(' | ')}.`,
		);
	}
}

function parseSettings(text: string): Partial<Dialect> {
	if (text.trim() === 'plain') return {};
	return Object.fromEntries(
		text.split(',').map((part) => {
			const [name = '', value = ''] = part.split('=').map((side) => side.trim());
			return [name, Object.hasOwn(numberSettings, name) ? Number(value) : value];
		}),
	);
}
