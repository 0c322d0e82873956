/**
 * Every parser of external strings, with long runs of every kind of whitespace and control
 * character. test/watchdog.mts ends one that hangs.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	createWordMatcher,
	findDisguise,
	normalizeAnchor,
	unescapeAnchor,
} from '../../nodes/BacklinkExchange/resources/exchange/acceptMany/anchorMatcher.ts';
import {
	parseSecret,
	verifySignature,
} from '../../nodes/BacklinkExchangeWebhookTrigger/verifySignature.ts';
import { formatSite, quote } from '../../nodes/shared/formatting/message.ts';
import { parsePageUrl } from '../../nodes/shared/formatting/pageUrl.ts';
import { ParameterReader } from '../../nodes/shared/parameters/parameterReader.ts';
import { parseSiteName } from '../../nodes/shared/sites/siteUrl.ts';
import { parseCredential } from '../../nodes/shared/transport/credential.ts';
import { createKeyRedactor } from '../../nodes/shared/transport/request.ts';
import {
	findInvisible,
	foldWords,
	stripInvisible,
	trimInvisible,
	trimWords,
	truncate,
} from '../../nodes/shared/utils/text.ts';
import { parseEpochSeconds, parseTimestamp } from '../../nodes/shared/utils/time.ts';
import { eventMessage, eventTitle } from '../unit/shared/createEvent.mts';

const blanks = [
	...[' ', '\t', '\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u00a0', '\u1680', '\u2003', '\u2028'],
	...['\u2029', '\u202f', '\u3000', '\ufeff', '\u0000', '\u001b', '\u007f', '\u00ad', '\u200b'],
	...['\u200d', '\u202e', '\u2060', '\ufe0f', '\u{e0001}', '\ud800', '\u3164'],
];
const run = fc
	.array(fc.constantFrom(...blanks), { minLength: 1, maxLength: 4 })
	.chain((signs) => fc.constantFrom(1, 40, 5000).map((times) => signs.join('').repeat(times)));
const word = fc.constantFrom(
	...[
		'tea',
		'https://tea.example/',
		'a.b',
		',',
		'"',
		'"a""',
		'/',
		'?',
		'<',
		'=',
		'#',
		'-',
		'2026-07-01',
	],
	...['sha256=', 'v1,', 't=1', 'whsec_', '٣', 'é'],
);
const text = fc.array(fc.oneof(run, word), { maxLength: 7 }).map((parts) => parts.join(''));

const field = { displayName: 'Field', name: 'field', type: 'string' as const, default: '' };

/** Reads a parameter with each method of the reader; `undefined` where the value is invalid. */
function readParameter(value: string): unknown[] {
	const node = { name: 'Node', type: 'test', typeVersion: 1, parameters: {} };
	const context = { getNode: () => node, getNodeParameter: () => value, getTimezone: () => 'UTC' };
	const settings = ParameterReader.forItems(context as never)(0);
	const methods = ['string', 'list', 'number', 'boolean', 'dateTime'] as const;
	return methods.map((method) => {
		try {
			return settings[method](field);
		} catch (error) {
			expect((error as Error).message.length).toBeLessThan(300);
			return undefined;
		}
	});
}

const readers: Record<string, (value: string) => unknown> = {
	shorten: (value) => truncate(value, 80),
	visible: stripInvisible,
	trimWords,
	foldWords,
	invisibleIn: findInvisible,
	parseSiteName,
	readFieldTime: parseEpochSeconds,
	readMoment: (value) => parseTimestamp(value, 0),
	quote,
	address: (value) => formatSite({ name: value }),
	eventMessage: (value) =>
		eventMessage(
			'watchdog.alert',
			{ type: value, detail: value },
			{
				exchange: { from_site: value, to_site: value, anchor: value },
			},
		),
	eventTitle: (value) => eventTitle('watchdog.alert', { severity: value, type: value }),
	linkOf: (value) => parsePageUrl(value),
	comparableWords: normalizeAnchor,
	disguise: (value) => findDisguise(unescapeAnchor(value)),
	wordFinder: (value) => createWordMatcher(value.slice(0, 1000))?.(normalizeAnchor(value)),
	keysOf: parseSecret,
	whyNotSigned: (value) =>
		verifySignature({ body: Buffer.from(value), header: value }, parseSecret('whsec_c2VjcmV0')),
	readCredential(value) {
		try {
			return parseCredential({ baseUrl: value, apiKey: value });
		} catch (error) {
			return error;
		}
	},
	hidingKey: (value) => createKeyRedactor('sk_live_0123456789')(value),
	readParameter,
};

test.each(Object.entries(readers))('%s', (_, reader) => {
	fc.assert(
		fc.property(text, (value) => {
			reader(value);
		}),
		{ numRuns: 150 },
	);
});

const isBlank = (character: string) =>
	/[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(character);

test('trimmed removes only whitespace at both ends', () => {
	fc.assert(
		fc.property(text, (value) => {
			const characters = Array.from(value);
			const first = characters.findIndex((each) => !isBlank(each));
			const last = characters.findLastIndex((each) => !isBlank(each));
			const expected = first === -1 ? '' : characters.slice(first, last + 1).join('');
			expect(trimInvisible(value)).toBe(expected);
		}),
		{ numRuns: 1000 },
	);
});
