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
		about:
			'The field that contains the records of a list. The sites are always in "sites", as documented.',
		variants: ['resource', 'array', 'data', 'items', 'results'],
	},
	emptyList: {
		about: 'An empty list is an empty array, null, or a response 204 without a body.',
		variants: ['array', 'null', '204'],
	},
	exchangeList: {
		about: 'A list without a status filter contains all exchanges, or only pending ones.',
		variants: ['all', 'pending-unless-filtered'],
	},
	ledgerKey: {
		about: 'The field that contains the ledger entries.',
		variants: ['ledger', 'ledger_entries'],
	},
	pagination: {
		about: 'How a list shows that there is another page. With "none", there is only one page.',
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
		about: 'The status and the body of the response when you add a site.',
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
		about:
			'The status and the body of the response when you accept an offer. With "202-pending", the offer stays pending for four seconds.',
		variants: [
			'200-record',
			'200-envelope',
			'200-data',
			'202-record',
			'202-envelope',
			'202-data',
			'202-pending',
			'204-empty',
		],
	},
	charge: {
		about:
			"When you're charged for an accepted offer: as soon as it's accepted, four seconds later, or when its link goes live.",
		variants: ['on-accept', 'seconds-later', 'when-live'],
	},
	acceptAgain: {
		about: `The status of the response when you accept an offer that isn't pending. With "charged", the status is 200 and you're charged again.`,
		variants: ['409', '404', '422', '400', '200', 'charged'],
	},
	insufficientCredits: {
		about: 'The status of the response when you have too few credits.',
		variants: ['402', '400', '403', '409', '422'],
	},
	limitExceeded: {
		about:
			'The response when you reach the rate limit: its status (429 unless the name starts with 403), whether a Retry-After header shows how long to wait, and whether the body is JSON or text.',
		variants: ['retry-after-json', 'json', 'retry-after-text', 'text', '403-json', '403-text'],
	},
	rateLimitReset: {
		about: 'The format of the X-RateLimit-Reset header.',
		variants: ['epoch-seconds', 'epoch-milliseconds', 'delta-seconds', 'iso-8601', 'http-date'],
	},
	invalidToken: {
		about: "The status and the body of the response to an API key that isn't valid.",
		variants: ['401-json', '403-json', '401-text', '403-text', '401-html', '403-html'],
	},
	errorBody: {
		about:
			'The body of other error responses. It is JSON as documented, or HTML or text like that of a proxy.',
		variants: ['documented', 'html', 'text'],
	},
	signatureEncoding: {
		about: 'The encoding of the signature.',
		variants: ['hex', 'base64', 'base64url'],
	},
	signatureHeader: {
		about:
			'The format of the X-PB-Signature header. With "several", the first signature is made with an old secret.',
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
		about:
			'The content that is signed: the body, or a timestamp and the body. With a timestamp, the header has the form t=…,v1=….',
		variants: ['body', 'timestamp-body'],
	},
	hmacKey: {
		about: 'The key of the signature: the secret as it is, or the base64 text after whsec_.',
		variants: ['utf8', 'whsec-base64'],
	},
	wrapper: {
		about: 'Where a delivery contains the name and the data of its event.',
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
			'The service sends exchange.requested only for incoming offers, or for your own offers to partners too.',
		variants: ['incoming', 'all'],
	},
	times: {
		about:
			'The format of the times of offers, alerts and events. The times of sites are always in the documented format.',
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
		about: 'The three numbers of the balance are JSON numbers, or text.',
		variants: ['numbers', 'text'],
	},
} as const;

export const numberSettings = {
	pageSize: {
		about: 'Number of records per page. It has no effect if pagination is "none".',
		default: 50,
		min: 1,
	},
	clockSkewSeconds: {
		about: "Number of seconds that the service's clock is ahead. A negative number sets it back.",
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
			`The setting ${name} must be a whole number from ${min} to ${maxInteger}, but it is ${JSON.stringify(value)}.`,
		);
	}
	if (!Object.hasOwn(dialectSettings, name)) {
		throw new InvalidSettingError(
			`The API has no setting "${name}". Choose one of these: ${[...dialectSettingNames, ...numberSettingNames].join(', ')}.`,
		);
	}
	const variants: readonly string[] = dialectSettings[name as DialectSetting].variants;
	if (!variants.includes(value as string)) {
		throw new InvalidSettingError(
			`The setting ${name} has no variant ${JSON.stringify(value)}. Choose one of these: ${variants.join(' | ')}.`,
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
