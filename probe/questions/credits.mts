/** service-api.md documents the three figures of the balance, but not the form of the ledger. */
import type { Dialect } from '../../sandbox/dialects.mts';
import { bodyWords, isObject, recordsOf } from '../bodies.mts';
import type { Client } from '../client.mts';
import { type Observation, safeNames } from '../report.mts';

const figures = ['balance', 'lifetime_earned', 'lifetime_spent'];
const ledgerKeys: readonly string[] = [
	'ledger',
	'entries',
	'ledger_entries',
	'transactions',
] satisfies Dialect['ledgerKey'][];

export async function askForCredits(client: Client): Promise<Observation[]> {
	const answer = await client.ask({ path: '/credits/balance' });
	const { json } = answer;
	if (!isObject(json)) {
		return [
			{
				question: 'credits: balance',
				seen: `HTTP ${answer.status} with ${bodyWords(answer)}`,
				verdict: 'not supported',
			},
		];
	}
	const missing = figures.filter((name) => !Number.isInteger(json[name]));
	const key = Object.keys(json).find((name) => Array.isArray(json[name]));
	const ledger = recordsOf(answer, 'ledger');
	const fields = [...new Set((ledger ?? []).flatMap((entry) => Object.keys(entry)))];
	const isKnown = (name: string | undefined): name is Dialect['ledgerKey'] =>
		name !== undefined && ledgerKeys.includes(name);
	return [
		{
			question: 'credits: balance',
			seen:
				missing.length === 0
					? 'three whole numbers, as documented'
					: `no whole number in ${safeNames(missing)}`,
			verdict: missing.length === 0 ? 'supported' : 'not supported',
		},
		{
			question: 'credits: ledger',
			seen:
				key === undefined
					? 'no array of entries'
					: `array in ${safeNames([key])}; fields: ${safeNames(fields)}`,
			verdict: key === undefined || ledger === undefined ? 'not supported' : 'supported',
			...(isKnown(key) && { dialect: { ledgerKey: key } }),
		},
	];
}
