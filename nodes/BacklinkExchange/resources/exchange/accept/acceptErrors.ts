import { type ErrorResult, errorResult, outcomeUnknownCode } from '../../../../shared/errors';

/** Explains an accepted offer whose request was rejected. */
export function acceptedDespiteErrorReason(statusCode = 0): string {
	return `The service answered HTTP ${statusCode}, and then showed the offer as accepted. Whether by this request or before is not known: credits may have been spent`;
}

const checkAdvice =
	'Check the offer and the credit ledger in the dashboard of the service before you do anything by hand.';

const temporaryFailure = { cause: 'temporarily-unavailable' } as const;

/** Describes the accept request for error messages. */
export function createAcceptIntent(id: string) {
	return {
		action: `accept the offer ${id}`,
		writes: true,
		notFound: {
			message: `The service does not know the exchange ${id}`,
			description: 'Take the ID from "Get many exchanges" with status Pending.',
		},
	};
}

export function brokenLinkError(id: string): ErrorResult {
	return errorResult({
		message: `The exchange ${id} cannot be accepted: its link is broken`,
		description: 'It was accepted and published before.',
	});
}

/** Creates the error for an exchange that the account has offered to a partner. */
export function outgoingError(id: string): ErrorResult {
	return errorResult({
		message: `The exchange ${id} is your own offer: only the partner can accept it`,
		description:
			'Its "from_site" is one of your sites, and its "to_site" isn\'t. So the node didn\'t send a request to accept it, and no credits were spent. Wait until the partner accepts it. To choose an offer from a partner, use the list in the field \'Exchange\'.',
	});
}

export function unknownStatusError(id: string): ErrorResult {
	return errorResult({
		message: `The state of the offer ${id} cannot be read`,
		description:
			'The list of exchanges shows a "status" other than pending, accepted, live and broken, which are documented. So no request was sent. Check the offer in the dashboard of the service.',
	});
}

/**
 * Creates the error for a request that was sent and whose outcome isn't known.
 *
 * @param cause describes the response, such as "HTTP 500"; omitted for an earlier request
 * @param listError why the list couldn't be fetched; omitted if it doesn't show the accept
 */
export function outcomeUnknownError(
	id: string,
	cause?: string,
	listError?: ErrorResult,
): ErrorResult {
	const responseSentence =
		cause === undefined
			? 'An earlier request to accept it got no clear answer.'
			: `A request to accept it was sent; what came back: ${cause}.`;
	const listSentence = listError
		? `The list of exchanges could not be read afterwards (${listError.message}).`
		: 'The list of exchanges does not show it as accepted, but it may still be carried out.';
	return errorResult({
		message: `It is not known whether the offer ${id} was accepted: credits may have been spent`,
		code: outcomeUnknownCode,
		description: `${responseSentence} ${listSentence} ${checkAdvice} Run the workflow again after a minute: it looks first, and asks again only if the offer is still pending. A retry of this execution only looks.`,
		failure: temporaryFailure,
	});
}

export const waitedTooLongError = errorResult({
	message: 'No request to accept was sent: it had to wait too long',
	description:
		'The list of exchanges is read before each request to accept. Every time, the request had to wait so long for the request limit that the list was outdated. Run this again when fewer executions use this API key.',
	failure: temporaryFailure,
});
