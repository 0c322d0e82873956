/**
 * The messages of all errors that the nodes report: each is one clause with what happened.
 * docs/troubleshooting.md explains those that don't explain themselves.
 */
export const errorMessages = {
	accessDenied: 'The service denied access',
	apiKeyNotAccepted: "The service didn't accept the API key",
	apiKeyOfOtherUrl: (origin: string) => `The API key is sent only to ${origin}`,
	apiKeyInvalid: "The API key isn't valid",
	baseUrlInsecure: 'The base URL must start with https://',
	baseUrlInvalid: "The base URL isn't valid",
	baseUrlRedirects: 'The base URL redirects to another URL',
	blockedByN8n: 'n8n blocks requests to the base URL',
	blockedByProxy: 'A proxy or firewall blocked the request',
	certificateInvalid: "The service's certificate isn't valid",
	declined: (action: string) => `The service declined to ${action}`,
	deliveryRejected: (reason: string) => `A delivery was rejected: ${reason}`,
	exchangeNotListed: (id: string) => `The service doesn't list the exchange ${id}`,
	exchangeUnknown: (id: string) => `The service doesn't know the exchange ${id}`,
	linkBroken: (id: string) => `Couldn't accept the exchange ${id}: its link is broken`,
	listTooLarge: (noun: string) => `The list of ${noun} is too large`,
	maxPerDayListIncomplete: "Couldn't count the offers for 'Max per Day': the list is incomplete",
	maxPerDayTimesMissing: "Couldn't count the offers for 'Max per Day': the times are missing",
	notEnoughCredits: "You don't have enough credits",
	offerOutcomeUnknown: (id: string) => `Couldn't see whether the offer ${id} was accepted`,
	ownOffer: (id: string) => `Couldn't accept the exchange ${id}: it's your own offer`,
	parameterEmpty: (label: string) => `'${label}' is empty`,
	parameterInvalid: (label: string, expected: string) => `'${label}' must be ${expected}`,
	parameterNotDecoded: (label: string) =>
		`'${label}' contains characters that couldn't be decoded (\uFFFD)`,
	rateLimitReached: "The service's rate limit is reached",
	siteNotListed: (site: string) => `Your account has no site ${site}`,
	siteOutcomeUnknown: "Couldn't see whether the site was added",
	statusUnknown: (id: string) => `Couldn't read the status of the offer ${id}`,
	tlsFailed: "Couldn't make a secure connection to the service",
	tooManyRecords: (noun: string) => `The account has too many ${noun} for this trigger`,
	unavailable: "The service isn't available right now",
	unexpectedResponse: 'The service returned an unexpected response',
	unknownOperation: (resource: string, operation: string) =>
		`The resource '${resource}' has no operation '${operation}'`,
	unreachable: "Couldn't reach the service",
	urlNotFound: "The service doesn't recognize the URL",
	webhookSecretMissing: 'The credential has no webhook secret',
};
