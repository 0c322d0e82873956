import { type Explanation, explanation } from '../../../../shared/words/explanation';

/** Why an item is `alreadyAccepted` where nobody but the service knows whose request it has carried out. */
export function refusedButAccepted(statusCode = 0): string {
	return `The service answered HTTP ${statusCode}, and then showed the offer as accepted. Whether this request was carried out after all, or the offer was accepted before, is not known: credits may have been spent`;
}

/** `error.code` of each error after which credits may have been spent, so that a workflow can distinguish these from refusals. */
export const outcomeUnknown = 'outcome_unknown';

/** The words in the headline of each error with that code, because a toast in the editor shows nothing else. */
const creditsInDoubt = 'credits may have been spent';

const whereToCheck =
	'Check the offer and the credit ledger in the dashboard of the service before you do anything by hand.';

const temporary = { cause: 'temporarily-unavailable' } as const;

export function brokenLink(id: string): Explanation {
	return explanation({
		message: `The exchange ${id} cannot be accepted: its link is broken`,
		description: 'It was accepted and published before.',
	});
}

/** @param cause what came instead of a clear answer, such as "HTTP 500", if it is known */
export function stillPending(id: string, cause: string | undefined, reason?: string): Explanation {
	return explanation({
		message: `The service still shows the offer ${id} as pending after a request to accept it: credits may still be spent`,
		code: outcomeUnknown,
		description: `${received(cause)} The request may still be carried out, so credits may be spent.${reason === undefined ? '' : ` It was not sent again: ${reason}.`} If you run this again after a minute, it checks the offer first, and sends another request only if the offer is still pending. ${whereToCheck}`,
		failure: temporary,
	});
}

/** @param unreadable why the list could not be read */
export function unknownOutcome(
	id: string,
	cause: string | undefined,
	unreadable?: Explanation,
): Explanation {
	const why = unreadable
		? `The list of exchanges could not be read afterwards (${unreadable.message}).`
		: 'The list of exchanges shows it neither as accepted nor as pending.';
	return explanation({
		message: `It is not known whether the offer ${id} was accepted: ${creditsInDoubt}`,
		code: outcomeUnknown,
		description: `${received(cause)} ${why} Credits may have been spent. ${whereToCheck} Until the list shows the offer as pending, no further request is sent for it for at least 24 hours.`,
		failure: temporary,
	});
}

/** This request came to nothing, but an earlier one for the same offer is still in doubt. */
export function inDoubtAllTheSame(why: Explanation): Explanation {
	// Without an answer of the service, the description is about this request alone.
	const said = why.statusCode === undefined ? '' : `${why.description} `;
	return explanation({
		...why,
		message: `${why.message}; ${creditsInDoubt} on an earlier request`,
		code: outcomeUnknown,
		description: `${said}An earlier request to accept the same offer got no clear answer: credits may have been spent on that one. ${whereToCheck}`,
	});
}

/** The service refused, and the list that would show whether the offer is accepted anyway could not be read. */
export function refusalNotChecked(why: Explanation): Explanation {
	return explanation({
		...why,
		message: `${why.message}; nevertheless, ${creditsInDoubt}`,
		code: outcomeUnknown,
		description: `${why.description} It could not be checked afterwards whether the offer is accepted: credits may have been spent. ${whereToCheck}`,
	});
}

/** @param read what stands in the place of a state, such as "status": "archived" */
export function unreadableState(id: string, read: string): Explanation {
	return explanation({
		message: `The state of the offer ${id} cannot be read`,
		description: `The list of exchanges shows ${read}; pending, accepted, live and broken are documented. So no request was sent. Check the offer in the dashboard of the service.`,
	});
}

/** Why a request was not sent, although nothing forbids it. It names no offer: Accept Many says it of those that come next, too. */
const reasons = {
	outdated: [
		'it had to wait too long',
		'The list of exchanges is read before each request to accept. Every time, the request had to wait so long, for the request limit or the database of n8n, that the list was outdated. Run this again when fewer executions use this API key.',
	],
	full: [
		'too many outcomes are unknown',
		'This n8n process has sent 10,000 requests in 24 hours whose outcome it could not see, and cannot keep track of more. Check whether the service works, and what the credit ledger says.',
	],
	unrecorded: [
		'n8n could not record it in its database',
		'Each request to accept is recorded in the database of n8n before it is sent, so that it is not repeated if n8n is killed. Check the database of n8n and its free space, then run this again.',
	],
} as const;

export function withheld(why: keyof typeof reasons): Explanation {
	const [reason, description] = reasons[why];
	const message = `No request to accept was sent: ${reason}`;
	return explanation({ message, description, failure: temporary });
}

function received(cause: string | undefined): string {
	return cause === undefined
		? 'An earlier request to accept it got no clear answer.'
		: `A request to accept it was sent; what came back: ${cause}.`;
}
