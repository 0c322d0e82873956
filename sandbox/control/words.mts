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
	listShape: { name: 'Shape of lists', sentence: 'What surrounds the records of a list.' },
	exchangeList: {
		name: 'What the list of offers shows',
		sentence: 'Everything, the state of some time ago, or not every status.',
	},
	watchdogKey: { name: 'Key of the alerts', sentence: 'The field that holds the alerts.' },
	ledgerKey: { name: 'Key of the ledger', sentence: 'The field that holds the ledger entries.' },
	pagination: { name: 'Pages', sentence: 'How a list says that it has more pages.' },
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
		sentence: 'The accepted offer, another one, or the right one in its old state.',
	},
	settlement: {
		name: 'When an accept takes effect',
		sentence: 'At once, some seconds later, or never, although the answer says so.',
	},
	acceptAgain: {
		name: 'Accepting a second time',
		sentence: 'The status of the answer; 200-charged-again charges the credits again.',
	},
	insufficientCredits: { name: 'Not enough credits', sentence: 'The status of that answer.' },
	limitExceeded: {
		name: 'Too many requests',
		sentence: 'Whether the answer says how long to wait, and how.',
	},
	rateLimitReset: {
		name: 'When the limit resets',
		sentence: 'The format of the header X-RateLimit-Reset.',
	},
	invalidToken: { name: 'Wrong API key', sentence: 'Status and body of that answer.' },
	errorBody: {
		name: 'Body of other errors',
		sentence: 'As documented, or as a proxy in front of the service writes it.',
	},
	errorStatus: {
		name: 'Status of other errors',
		sentence: 'An error status, or 200 with the error in the body.',
	},
	signatureEncoding: { name: 'Signature', sentence: 'The encoding of its bytes.' },
	signatureHeader: {
		name: 'Signature header',
		sentence: 'What the header holds besides the signature.',
	},
	signedContent: { name: 'What is signed', sentence: 'The body, or a time and the body.' },
	hmacKey: { name: 'Key of the signature', sentence: 'How the key is derived from the secret.' },
	wrapper: { name: 'Event wrapper', sentence: 'How a delivery names its event.' },
	delivery: { name: 'How deliveries arrive', sentence: 'Once, twice, late, or all at once.' },
	times: { name: 'Times', sentence: 'The format of the times of offers and events.' },
	siteReference: { name: 'Sites of an offer', sentence: 'As a URL, an ID, or both.' },
	pageSize: { name: 'Records per page', sentence: 'For lists with pages.' },
	listLagSeconds: {
		name: 'Lag of a list',
		sentence: 'In seconds, for a list that shows an old state.',
	},
	balanceLagSeconds: { name: 'Lag of the balance', sentence: 'In seconds; also of the ledger.' },
	settlementSeconds: {
		name: 'Time until an accept takes effect',
		sentence: 'In seconds, if it takes effect later.',
	},
	clockSkewSeconds: {
		name: 'Clock ahead by',
		sentence: "How many seconds the service's clock is ahead; negative: behind.",
	},
};

export const faultWords: Record<Fault['kind'], Words> = {
	'cut-before-commit': {
		name: 'Connection lost before',
		sentence: 'The request is not carried out, and the connection breaks.',
	},
	'cut-after-commit': {
		name: 'Connection lost after',
		sentence: 'The request is carried out, and the connection breaks before the answer.',
	},
	'delay-before-commit': {
		name: 'Slow before',
		sentence: 'The request waits before it is carried out.',
	},
	'delay-after-commit': {
		name: 'Slow after',
		sentence: 'The request is carried out at once; the answer is late.',
	},
	'error-before-commit': {
		name: 'Unavailable, nothing done',
		sentence: 'The answer is 503, and the request is not carried out.',
	},
	'error-after-commit': {
		name: 'Unavailable, but done',
		sentence: 'The answer is 503, although the request is carried out.',
	},
	'not-json': {
		name: 'Web page',
		sentence: 'The request is carried out; the answer is a web page.',
	},
	'malformed-json': {
		name: 'Half an answer',
		sentence: 'The request is carried out; the answer is cut off.',
	},
	'wrong-content-type': {
		name: 'Wrong content type',
		sentence: 'The request is carried out; the answer is JSON labeled as text.',
	},
	nonsense: {
		name: 'Nonsense',
		sentence: 'The request is carried out; the answer is JSON that makes no sense.',
	},
	'answer-before-commit': {
		name: 'Another answer, nothing done',
		sentence: 'The request is not carried out; the answer is the one you give.',
	},
	'answer-after-commit': {
		name: 'Another answer, but done',
		sentence: 'The request is carried out; the answer is the one you give.',
	},
	'odd-entries': {
		name: 'Odd entries',
		sentence: 'A list writes states in other ways, or has entries missing or twice.',
	},
	'clock-skew': { name: 'Wrong clock', sentence: 'The times in the headers are wrong by minutes.' },
	'duplicate-delivery': { name: 'Twice', sentence: 'The same delivery arrives a second time.' },
	'concurrent-delivery': {
		name: 'Twice at once',
		sentence: 'The same delivery arrives twice at the same moment.',
	},
	'late-delivery': { name: 'Late', sentence: 'The delivery arrives some time later.' },
	'reordered-delivery': {
		name: 'Out of order',
		sentence: 'The delivery arrives after the next one.',
	},
	'skewed-delivery': {
		name: 'Stale signature',
		sentence: 'If a time is signed, it is an hour old.',
	},
	'forged-delivery': {
		name: 'Forged',
		sentence: 'The delivery is signed with another secret, as a stranger would sign it.',
	},
};
