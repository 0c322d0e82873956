/** What the dashboard calls things: plans, kinds of ledger entries, settings of a dialect, and faults. */
import type { Dialect } from '../dialects.mts';
import type { Fault } from '../faults.mts';
import type { LedgerEntry, Plan } from '../store/records.mts';

interface Words {
	name: string;
	sentence: string;
}

export const planWords: Record<Plan, string> = {
	pro: 'Pro',
	agency: 'Agency',
	none: 'No API access',
};

export const ledgerWords: Record<LedgerEntry['kind'], string> = {
	opening: 'Opening balance',
	exchange_accepted: 'Exchange accepted',
	adjustment: 'Adjustment',
};

export const settingWords: Record<keyof Dialect, Words> = {
	listShape: { name: 'Shape of lists', sentence: 'What stands around the records of a list.' },
	exchangeList: {
		name: 'What the list of offers shows',
		sentence: 'Everything, or what was true some time ago, or not every status.',
	},
	watchdogKey: { name: 'Key of the alerts', sentence: 'Where the list of alerts has its records.' },
	ledgerKey: { name: 'Key of the ledger', sentence: 'Where the balance has its ledger entries.' },
	pagination: { name: 'Pages', sentence: 'How a list says that there is more.' },
	createSite: {
		name: 'Answer to adding a site',
		sentence: 'Its status, and whether the new site is in the body.',
	},
	accept: {
		name: 'Answer to an accept',
		sentence: 'Its status, and whether the offer is in the body.',
	},
	acceptRecord: {
		name: 'Offer in that answer',
		sentence: 'The accepted one, another one, or the right one as it was before.',
	},
	settlement: {
		name: 'When an accept takes effect',
		sentence: 'At once, some seconds later, or not at all although it was taken.',
	},
	acceptAgain: {
		name: 'Accepting a second time',
		sentence: 'The status of the answer; 200-charged-again takes the credits once more.',
	},
	insufficientCredits: { name: 'Not enough credits', sentence: 'The status of that answer.' },
	limitExceeded: {
		name: 'Too many requests',
		sentence: 'Whether the answer says how long to wait, and how.',
	},
	rateLimitReset: {
		name: 'When the limit resets',
		sentence: 'How the header X-RateLimit-Reset writes the time.',
	},
	invalidToken: { name: 'Wrong API key', sentence: 'Status and body of that answer.' },
	errorBody: {
		name: 'Body of other errors',
		sentence: 'As documented, or what a proxy in front of the service sends.',
	},
	errorStatus: {
		name: 'Status of other errors',
		sentence: 'An error status, or 200 with the error in the body.',
	},
	signatureEncoding: { name: 'Signature', sentence: 'How its bytes are written.' },
	signatureHeader: { name: 'Around the signature', sentence: 'What else the header holds.' },
	signedContent: { name: 'What is signed', sentence: 'The body, or a time and the body.' },
	hmacKey: { name: 'Key of the signature', sentence: 'How the secret becomes a key.' },
	wrapper: { name: 'Around an event', sentence: 'How a delivery names its event.' },
	delivery: { name: 'How deliveries arrive', sentence: 'Once, twice, late, or all at once.' },
	times: { name: 'Times', sentence: 'How the times of offers and events are written.' },
	siteReference: { name: 'Sites of an offer', sentence: 'By their URL, their id, or both.' },
	pageSize: { name: 'Records on a page', sentence: 'Where there are pages.' },
	listLagSeconds: { name: 'Lag of a list', sentence: 'In seconds, for a list that lags.' },
	balanceLagSeconds: { name: 'Lag of the balance', sentence: 'In seconds; the ledger too.' },
	settlementSeconds: {
		name: 'Time until an accept takes effect',
		sentence: 'In seconds, where it takes effect later.',
	},
	clockSkewSeconds: {
		name: 'Clock ahead by',
		sentence: "How many seconds the service's clock is ahead; negative: behind.",
	},
};

export const faultWords: Record<Fault['kind'], Words> = {
	'cut-before-commit': {
		name: 'Connection lost before',
		sentence: 'The connection ends, and nothing was done.',
	},
	'cut-after-commit': {
		name: 'Connection lost after',
		sentence: 'It was done, and the connection ends without an answer.',
	},
	'delay-before-commit': { name: 'Slow before', sentence: 'Time passes before it is done.' },
	'delay-after-commit': { name: 'Slow after', sentence: 'It is done; the answer takes its time.' },
	'error-before-commit': {
		name: 'Out of order, nothing done',
		sentence: 'The answer is 503, and nothing was done.',
	},
	'error-after-commit': {
		name: 'Out of order, but done',
		sentence: 'The answer is 503, although it was done.',
	},
	'not-json': { name: 'Web page', sentence: 'It was done, and the answer is a web page.' },
	'malformed-json': { name: 'Half an answer', sentence: 'It was done; the answer breaks off.' },
	'wrong-content-type': {
		name: 'Called text',
		sentence: 'It was done, and the answer is JSON that is called text.',
	},
	nonsense: {
		name: 'Nonsense',
		sentence: 'It was done, and the answer is JSON that makes no sense.',
	},
	'answer-before-commit': {
		name: 'Another answer, nothing done',
		sentence: 'The answer is the one that was given, and nothing was done.',
	},
	'answer-after-commit': {
		name: 'Another answer, but done',
		sentence: 'It was done, and the answer is the one that was given.',
	},
	'odd-entries': {
		name: 'Odd entries',
		sentence: 'States of a list are written in other ways, entries are missing or there twice.',
	},
	'clock-skew': { name: 'Wrong clock', sentence: 'The times in the headers are minutes off.' },
	'duplicate-delivery': { name: 'Twice', sentence: 'The same delivery comes a second time.' },
	'concurrent-delivery': {
		name: 'Twice at once',
		sentence: 'The same delivery comes twice in one moment.',
	},
	'late-delivery': { name: 'Late', sentence: 'The delivery comes some time later.' },
	'reordered-delivery': { name: 'Out of order', sentence: 'It comes after the next one.' },
	'skewed-delivery': {
		name: 'Stale signature',
		sentence: 'It is signed with a time of an hour ago, where a time is signed.',
	},
	'forged-delivery': {
		name: 'Forged',
		sentence: 'It is signed with another secret, as a stranger would.',
	},
};
