import { errorMessages } from '../../../../shared/errorMessages';
import { outcomeUnknownCode, ServiceError } from '../../../../shared/errors';

/** Explains an accepted offer whose request was rejected. */
export function acceptedDespiteErrorReason(statusCode = 0): string {
	return `The service rejected the request (HTTP ${statusCode}), but its list now shows the offer as accepted. It isn't known whether this request accepted it, so credits may have been spent`;
}

const checkAdvice =
	'Check the offer and the credit ledger in your dashboard before you accept it yourself.';

/** Describes the accept request for error messages. */
export function createAcceptIntent(id: string) {
	return {
		action: `accept the offer ${id}`,
		writes: true,
		declinedHint: 'No credits were spent.',
		notFound: {
			message: errorMessages.exchangeUnknown(id),
			description:
				"Copy the ID of a pending offer from 'Get many exchanges'. No credits were spent.",
		},
	};
}

export function createBrokenLinkError(id: string): ServiceError {
	return new ServiceError({
		message: errorMessages.linkBroken(id),
		description:
			'It was accepted and published before, and an exchange can be accepted only once. No request was sent, and no credits were spent.',
	});
}

/** Creates the error for an exchange that the account has offered to a partner. */
export function createOutgoingError(id: string): ServiceError {
	return new ServiceError({
		message: errorMessages.ownOffer(id),
		description:
			'Only the partner can accept it. Its "from_site" is one of your sites, and its "to_site" isn\'t. So the node didn\'t send a request to accept it, and no credits were spent. Wait until the partner accepts it. To choose an offer from a partner, use the list in the field \'Exchange\'.',
	});
}

export function createUnknownStatusError(id: string): ServiceError {
	return new ServiceError({
		message: errorMessages.statusUnknown(id),
		description:
			"Its status isn't one of those that the service documents: pending, accepted, live and broken. No request was sent, and no credits were spent. Check the offer in your dashboard.",
	});
}

/**
 * Creates the error for a request that was sent and whose outcome isn't known.
 *
 * @param cause describes the response, such as "HTTP 500"; omitted for an earlier request
 * @param listError why the list couldn't be fetched; omitted if it doesn't show the accept
 */
export function createOutcomeUnknownError(
	id: string,
	cause?: string,
	listError?: ServiceError,
): ServiceError {
	const responseSentence =
		cause === undefined
			? 'An earlier request to accept it got no response that shows the outcome, so no new request was sent.'
			: `A request to accept it was sent, but the response doesn't show the outcome: ${cause}.`;
	const listSentence = listError
		? `The list of exchanges couldn't be fetched afterward (${listError.message}).`
		: "The list of exchanges doesn't show it as accepted yet, but the service may still accept it.";
	return new ServiceError({
		message: errorMessages.offerOutcomeUnknown(id),
		code: outcomeUnknownCode,
		description: `Credits may have been spent. ${responseSentence} ${listSentence} ${checkAdvice} Or run the workflow again after a minute: it checks the list first, and sends a new request only if the offer is still pending. A retry of this execution only checks the list.`,
		failure: { cause: 'temporarily-unavailable' },
	});
}
