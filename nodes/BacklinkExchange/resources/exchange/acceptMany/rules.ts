import type { INodeProperties } from 'n8n-workflow';

import type { Exchange } from '../../../../shared/api/exchange';
import { optionsField } from '../../../../shared/descriptions/collections';
import { siteOptions } from '../../../../shared/descriptions/siteOptions';
import { compactParts } from '../../../../shared/formatting/message';
import type { ParameterReader } from '../../../../shared/parameters/parameterReader';
import { isPublicSuffix } from '../../../../shared/sites/publicSuffixes';
import { coversSite, isOfSite, type Site } from '../../../../shared/sites/site';
import { isIpAddress, type SiteName } from '../../../../shared/sites/siteUrl';
import type { Denial } from '../accept/accept.types';
import { createWordMatcher, findDisguise, normalizeAnchor, unescapeAnchor } from './anchorMatcher';

export const acceptFrom: INodeProperties = {
	displayName: 'Accept From',
	name: 'acceptFrom',
	type: 'options',
	options: [
		{
			name: 'Anyone',
			value: 'anyone',
			description: 'Every partner, unless another rule blocks the offer',
		},
		{
			name: 'Listed Partners',
			value: 'listed',
			description: "Only the partners in 'Allowed Partners'. All other offers need your review.",
		},
	],
	default: 'listed',
	description: 'Whose offers to accept',
};

export const allowedPartners: INodeProperties = {
	displayName: 'Allowed Partners',
	name: 'allowedPartners',
	type: 'string',
	default: '',
	placeholder: 'e.g. tea-blog.example, garden.example',
	description:
		'Partners whose offers may be accepted, separated by commas. Subdomains are included. If this is empty, no offer is accepted.',
	displayOptions: { show: { acceptFrom: ['listed'] } },
};

const yourSites = siteOptions({
	displayName: 'Your Sites',
	name: 'yourSites',
	description:
		'Your sites for which offers may be accepted. Offers for your other sites are left out',
});

export const blockedAnchorWords: INodeProperties = {
	displayName: 'Blocked Anchor Words',
	name: 'blockedAnchorWords',
	type: 'string',
	default: 'casino, betting, loan',
	placeholder: 'e.g. casino, betting',
	description:
		"Offers whose anchor text contains one of these words, separated by commas, are never accepted. Case and hyphens don't matter. If this is empty, no word is blocked.",
};

const blockedPartners: INodeProperties = {
	displayName: 'Blocked Partners',
	name: 'blockedPartners',
	type: 'string',
	default: '',
	placeholder: 'e.g. spam.example',
	description:
		'Partners whose offers are never accepted, separated by commas. Subdomains are included.',
};

export const rules: INodeProperties = {
	...optionsField([blockedPartners, yourSites]),
	displayName: 'Rules',
	name: 'rules',
	placeholder: 'Add rule',
	description: "Further rules. A rule that you don't add has no effect.",
};

/** The rules of one input item. */
export interface Rules {
	/** Whether only listed partners may be accepted, and none is listed. */
	isAllowlistEmpty: boolean;
	/** Evaluates the rules on an offer. They also deny an offer that they can't read. */
	getDenial: (exchange: Exchange) => Denial | undefined;
	/**
	 * Whether an exchange is for one of Your Sites, or there is no such rule; `undefined` if that
	 * can't be told.
	 */
	isForYourSites: (exchange: Exchange) => boolean | undefined;
	/** Returns the entries of Allowed Partners from whom none of these exchanges comes. */
	getPartnersWithout: (exchanges: readonly Exchange[]) => string[];
}

/**
 * Combines sets of rules: any block wins, then any set that allows the offer. Otherwise, the
 * reasons come from the sets for whose sites it is.
 */
export function getCombinedDenial(
	ruleSets: readonly Rules[],
	exchange: Exchange,
): Denial | undefined {
	const denials = ruleSets.map(({ getDenial }) => getDenial(exchange));
	const block = denials.find((denial) => denial?.outcome === 'blocked');
	if (block !== undefined || denials.includes(undefined)) return block;
	const concerned = denials.filter(
		(_, index) => ruleSets[index]?.isForYourSites(exchange) !== false,
	);
	const reasons = new Set(concerned.map((denial) => denial?.reason));
	return { outcome: 'needsReview', reason: [...reasons].join('. ') };
}

/**
 * Gets the rules of one input item. Blocked wins over needs review, and needs review over allowed.
 *
 * @throws {NodeOperationError} for a rule that isn't valid
 */
export function getRules(parameters: ParameterReader): Rules {
	// A rule that was added and left empty would silently allow what it was meant to block.
	const options = parameters.collection(rules, { ignoreBlank: false });
	const isListed = parameters.option(acceptFrom) === 'listed';
	const allowed = isListed ? getAllowedSites(parameters, allowedPartners) : [];
	const own = getAllowedSites(options, yourSites);
	const blocked = options.sites(blockedPartners);
	const words = getBlockedWords(parameters);

	const isForYourSites: Rules['isForYourSites'] = ({ site }) => {
		if (own.length === 0) return true;
		if (own.some((entry) => isOfSite(entry, site, { includeSubdomains: false }))) return true;
		const isComparable = site.url !== undefined || own.every(({ id }) => id !== undefined);
		return isComparable && (site.url ?? site.id) !== undefined ? false : undefined;
	};

	const getDenial: Rules['getDenial'] = (exchange) => {
		const { partner } = exchange;
		const anchor = unescapeAnchor(exchange.anchor ?? '');
		const normalizedAnchor = normalizeAnchor(anchor);
		const matchedWord = words.find(({ matches }) => matches(normalizedAnchor));
		if (blocked.some((entry) => isBlocked(entry, partner))) {
			return { outcome: 'blocked', reason: 'The partner is in Blocked Partners' };
		}
		if (matchedWord !== undefined) {
			return { outcome: 'blocked', reason: `The anchor text contains “${matchedWord.word}”` };
		}
		const doubts = compactParts(
			...getPartnerDoubts(partner, { isListed, allowed, blocked }),
			words.length > 0 && normalizedAnchor === '' && "The anchor text can't be read",
			findDisguise(anchor),
			isForYourSites(exchange) !== true && "The offer isn't for a site in Your Sites",
		);
		return doubts.length === 0 ? undefined : { outcome: 'needsReview', reason: doubts.join('. ') };
	};
	const getPartnersWithout: Rules['getPartnersWithout'] = (exchanges) => {
		const names = isListed ? parameters.list(allowedPartners) : [];
		return names.filter((_, index) => {
			const entry = allowed[index];
			return entry && !exchanges.some(({ partner }) => coversSite(entry, partner));
		});
	};
	const isAllowlistEmpty = isListed && allowed.length === 0;
	return { isAllowlistEmpty, getDenial, isForYourSites, getPartnersWithout };
}

/** @throws {NodeOperationError} for an entry that can't be in any anchor text */
function getBlockedWords(parameters: ParameterReader) {
	return parameters.words(blockedAnchorWords).map((word) => {
		const matches = createWordMatcher(word);
		if (matches !== undefined) return { word, matches };
		throw parameters.invalid(blockedAnchorWords, word, 'words, separated by commas');
	});
}

/** Returns why the partner isn't allowed, or can't be compared with the rules. */
function getPartnerDoubts(
	partner: Site,
	rules: { isListed: boolean; allowed: SiteName[]; blocked: SiteName[] },
): Array<string | false> {
	const { isListed, allowed, blocked } = rules;
	const isEmpty = isListed && allowed.length === 0 && 'Allowed Partners is empty';
	if (partner.id === undefined && partner.url === undefined) {
		return [(isListed || blocked.length > 0) && "The partner can't be read", isEmpty];
	}
	return [
		!blocked.every((entry) => isComparable(entry, partner)) &&
			"Blocked Partners contains sites in a form that can't be compared with the partner, such as an ID or an IP address",
		isEmpty,
		allowed.length > 0 &&
			!allowed.some((entry) => coversSite(entry, partner)) &&
			"The partner isn't in Allowed Partners",
	];
}

/** Returns whether an entry blocks a partner, on any port unless the entry has one. */
function isBlocked(entry: SiteName, { id, url }: Site): boolean {
	const isAnyPort = entry.url?.port === '';
	return coversSite(entry, { id, url: url && isAnyPort ? { ...url, port: '' } : url });
}

/**
 * Returns whether a partner is named in the form of an entry. The service doesn't show which ID, or
 * which IP address, belongs to which URL.
 */
function isComparable(entry: SiteName, { id, url }: Site): boolean {
	if (entry.url === undefined) return id !== undefined;
	return url !== undefined && isIpAddress(entry.url.host) === isIpAddress(url.host);
}

/**
 * Gets a list of allowed sites.
 *
 * @throws {NodeOperationError} for an invalid entry, and for a public suffix such as co.uk, because
 * third parties have their sites below it
 */
function getAllowedSites(parameters: ParameterReader, field: INodeProperties): SiteName[] {
	const sites = parameters.sites(field);
	// A path on a public suffix, such as that of a user, is a site.
	const suffix = sites.find(({ url }) => url && url.path === '' && isPublicSuffix(url.host))?.url;
	if (suffix === undefined) return sites;
	throw parameters.invalid(
		field,
		suffix.host,
		'a list of full host names',
		`Enter a full name such as blog.${suffix.host}. Many unrelated sites end in ${suffix.host}.`,
	);
}
