import type { DialectSetting } from '../../sandbox/dialects.mts';

/** What the settings are seen by. One that reading cannot show is named with what does show it. */
export const seenBy: Record<
	DialectSetting,
	'reading' | 'a delivery' | 'an accept' | 'nothing safe'
> = {
	listShape: 'reading',
	exchangeList: 'nothing safe',
	watchdogKey: 'reading',
	ledgerKey: 'reading',
	pagination: 'reading',
	createSite: 'nothing safe',
	accept: 'an accept',
	acceptRecord: 'nothing safe',
	settlement: 'nothing safe',
	acceptAgain: 'nothing safe',
	insufficientCredits: 'nothing safe',
	limitExceeded: 'nothing safe',
	rateLimitReset: 'reading',
	invalidToken: 'reading',
	errorBody: 'reading',
	errorStatus: 'reading',
	signatureEncoding: 'a delivery',
	signatureHeader: 'a delivery',
	signedContent: 'a delivery',
	hmacKey: 'a delivery',
	wrapper: 'a delivery',
	delivery: 'nothing safe',
	times: 'reading',
	siteReference: 'reading',
};
