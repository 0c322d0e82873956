/** Small changes to the decisions of retry and accept, each of which breaks a promise, so each of which a test must notice. */

export interface Mutant {
	file: string;
	/** Occurs exactly once in the file. */
	original: string;
	mutated: string;
	/** What would go wrong. */
	breaks: string;
}

const retry = 'nodes/shared/retry.ts';
const networkError = 'nodes/shared/networkError.ts';
const pacing = 'nodes/shared/pacing.ts';
const request = 'nodes/shared/request.ts';
const accept = 'nodes/BacklinkExchange/resources/exchange/acceptOnce.ts';
const acceptNode = 'nodes/BacklinkExchange/resources/exchange/accept.ts';
const gate = 'nodes/BacklinkExchange/resources/exchange/acceptGate.ts';
const guard = 'nodes/BacklinkExchange/resources/exchange/creditGuard.ts';
const exchanges = 'nodes/shared/exchanges.ts';
const path = 'nodes/shared/path.ts';
const connection = 'nodes/shared/connection.ts';

export const mutants: Mutant[] = [
	{
		file: retry,
		original: "if (!idempotent) return 'ambiguous';\n\t\treturn mayGoOn",
		mutated: 'return mayGoOn',
		breaks: 'a POST is sent again after a cut connection',
	},
	{
		file: retry,
		original: "if (!idempotent) return 'ambiguous';\n\treturn mayGoOn ? 'again' : 'done';",
		mutated: "return mayGoOn ? 'again' : 'done';",
		breaks: 'a POST is sent again after a 5xx',
	},
	{
		file: retry,
		original: 'statusCode !== 408 && ',
		mutated: '',
		breaks: 'a 408 counts as a decision of the service',
	},
	{
		file: retry,
		original: 'statusCode < 500',
		mutated: 'statusCode <= 500',
		breaks: 'a 500 counts as a decision of the service',
	},
	{
		file: retry,
		original: "if (statusCode === 429) return 'wait';",
		mutated: '',
		breaks: 'an item fails because of the rate limit',
	},
	{
		file: retry,
		original: 'attempts < mostAttempts',
		mutated: 'attempts <= mostAttempts',
		breaks: 'one attempt too many',
	},
	{
		file: networkError,
		original: "syscall === 'connect'",
		mutated: "syscall === 'read'",
		breaks: 'a cut connection counts as never sent',
	},
	{
		file: networkError,
		original: 'neverSent: isUnprotected ||',
		mutated: 'neverSent: true ||',
		breaks: 'whatever is interrupted counts as never sent',
	},
	{
		file: retry,
		original: '1 + random() / 2',
		mutated: '1 - random() / 2',
		breaks: 'the backoff is shorter than its base',
	},
	{
		file: connection,
		original: "decide(attempt, method === 'GET', attempts)",
		mutated: 'decide(attempt, true, attempts)',
		breaks: 'a POST is taken for idempotent',
	},
	{
		file: pacing,
		original: ' || milliseconds > this.longestWait) return true;',
		mutated: ') return true;',
		breaks: 'a wait beyond the allowed one is slept',
	},
	{
		file: request,
		original: 'disableFollowRedirect: true,',
		mutated: '',
		breaks: 'the key follows a redirect',
	},
	{
		file: path,
		original: 'encodeURIComponent(segment)',
		mutated: 'segment',
		breaks: 'an ID can change the path',
	},
	{
		file: accept,
		original: 'if (settings.checkFirst || lastPosted !== undefined)',
		mutated: 'if (settings.checkFirst)',
		breaks: 'Retry On Fail pays again when the check is off',
	},
	{
		file: accept,
		original: 'if (settings.checkFirst || lastPosted !== undefined)',
		mutated: 'if (lastPosted !== undefined)',
		breaks: 'an offer that is accepted already is sent again',
	},
	{
		file: accept,
		original: 'const fresh = lastPosted !== undefined && lastPosted >= run.startedAt;',
		mutated: 'const fresh = false;',
		breaks: 'a list from before another accept is believed',
	},
	{
		file: accept,
		original:
			"if (isAccepted(known)) return { ...alreadyAccepted(id, known), confirmedBy: 'check' };",
		mutated: '',
		breaks: 'the check has no consequence',
	},
	{
		file: accept,
		original: "if (known?.status === 'broken') return brokenLink(id);",
		mutated: '',
		breaks: 'a broken exchange is sent again',
	},
	{
		file: accept,
		original: 'run.mayHaveSpent >= settings.maxAccepts',
		mutated: 'run.mayHaveSpent > settings.maxAccepts',
		breaks: 'one accept more than Max Accepts',
	},
	{
		file: accept,
		original: "if (result === 'stillPending' && settings.retryUnconfirmed)",
		mutated: "if (result === 'stillPending')",
		breaks: 'the request is repeated without being asked for',
	},
	{
		file: accept,
		original: "if (result === 'stillPending' && settings.retryUnconfirmed)",
		mutated: 'if (false as boolean)',
		breaks: 'Retry Unconfirmed does nothing',
	},
	{
		file: accept,
		original: 'if (isInDoubt(outcome)) return await lookUntilSettled(connection, id);',
		mutated: '',
		breaks: 'an interrupted accept is not looked up',
	},
	{
		file: accept,
		original: "if (text.trim() !== '' && !isObject(json)) return true;",
		mutated: '',
		breaks: "a proxy's page counts as a confirmation",
	},
	{
		file: accept,
		original:
			"return seen.record?.status === 'pending' ? 'stillPending' : unknownOutcome(id, undefined);",
		mutated: "return 'stillPending';",
		breaks: 'an outcome that was not seen is called "not accepted"',
	},
	{
		file: accept,
		original: 'if (isAccepted(seen.record)) {',
		mutated: 'if (seen.record) {',
		breaks: 'a pending offer is called accepted',
	},
	{
		file: accept,
		original:
			"if (isAccepted(record)) return { ...alreadyAccepted(id, record), confirmedBy: 'readBack' };",
		mutated: '',
		breaks: 'an offer accepted elsewhere is called a failure',
	},
	{
		file: accept,
		original: "readError(response.json).code !== 'insufficient_credits'",
		mutated: 'true',
		breaks: 'too few credits cost a useless look',
	},
	{
		file: accept,
		original: '\t\tmayHaveSpent: true,\n',
		mutated: '',
		breaks: 'an accept that may have been paid does not count for Max Accepts',
	},
	{
		file: acceptNode,
		original: 'results.set(id, result);',
		mutated: '',
		breaks: 'the same ID twice is not one request',
	},
	{
		file: path,
		original: "if (text === '.' || text === '..')",
		mutated: "if (text === '.')",
		breaks: 'the ID ".." changes the path',
	},
	{
		file: acceptNode,
		original: 'oneAtATime: true,',
		mutated: '',
		breaks: 'accepts go out in parallel',
	},
	{
		file: gate,
		original: 'const turn = before.then(work, work);',
		mutated: 'const turn = before.then(work, work), atOnce = work();\n\t\tvoid atOnce;',
		breaks: 'accepts of the same exchange do not wait for each other',
	},
	{
		file: guard,
		original: 'if (balance <= minimum)',
		mutated: 'if (balance < minimum)',
		breaks: 'the last credit above the floor is spent',
	},
	{
		file: guard,
		original: 'if (balance - this.#highestCost < minimum)',
		mutated: 'if (false as boolean)',
		breaks: 'an accept goes below the floor at a known price',
	},
	{
		file: guard,
		original:
			'const refusal = this.#refusalAt(this.#balance, minimum);\n\t\t\tif (refusal !== undefined) return refusal;',
		mutated: 'await this.refresh();',
		breaks: 'each skipped offer costs a request',
	},
	{
		file: exchanges,
		original: "exchange?.status === 'accepted' || exchange?.status === 'live'",
		mutated: "exchange?.status === 'accepted'",
		breaks: 'a live exchange is sent again',
	},
];
