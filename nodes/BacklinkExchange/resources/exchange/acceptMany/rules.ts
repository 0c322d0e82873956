import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { optionsField } from '../../../../shared/descriptions/collections';
import { siteOptions } from '../../../../shared/descriptions/siteOptions';
import type { ParameterReader } from '../../../../shared/parameters/parameterReader';
import type { ExchangeEnds } from '../../../../shared/utils/direction';
import { isPublicSuffix } from '../../../../shared/utils/publicSuffixes';
import {
	coversEnd,
	coversOwnEnd,
	getEndIdentities,
	getForm,
	parseSiteChoice,
	type SiteChoice,
} from '../../../../shared/utils/siteChoice';
import { coversSite, type SiteIdentity, type SiteUrl } from '../../../../shared/utils/siteIdentity';
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
		'Your sites for which offers may be accepted. Offers for your other sites need your review',
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
	getDenial: (offer: IDataObject, ends: ExchangeEnds) => Denial | undefined;
}

/** Combines sets of rules: any block wins, then any set that allows the offer. */
export function getCombinedDenial(
	ruleSets: readonly Rules[],
	offer: IDataObject,
	ends: ExchangeEnds,
): Denial | undefined {
	const denials = ruleSets.map(({ getDenial }) => getDenial(offer, ends));
	const block = denials.find((denial) => denial?.outcome === 'blocked');
	if (block !== undefined || denials.includes(undefined)) return block;
	const reasons = new Set(denials.map((denial) => denial?.reason));
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
	const blocked = getSites(options, blockedPartners).flat();
	const words = parameters.list(blockedAnchorWords).map((word) => {
		const matches = createWordMatcher(word);
		if (matches !== undefined) return { word, matches };
		throw parameters.invalid(blockedAnchorWords, word, 'words, separated by commas');
	});

	const getDenial: Rules['getDenial'] = ({ anchor }, { partner, ...ownEnd }) => {
		const partnerIdentities = getEndIdentities(partner);
		const anchorText = typeof anchor === 'string' ? unescapeAnchor(anchor) : '';
		const normalizedAnchor = normalizeAnchor(anchorText);
		const matchedWord = words.find(({ matches }) => matches(normalizedAnchor));
		if (partnerIdentities.some((identity) => isBlocked(identity, blocked))) {
			return { outcome: 'blocked', reason: 'The partner is in Blocked Partners' };
		}
		if (matchedWord !== undefined) {
			return { outcome: 'blocked', reason: `The anchor text contains “${matchedWord.word}”` };
		}
		const isPartnerKnown = partnerIdentities.some(({ kind }) => kind !== 'text');
		const partnerForms = partnerIdentities.map(getForm);
		const doubts = [
			!isPartnerKnown && (isListed || blocked.length > 0) && "The partner can't be read",
			isPartnerKnown &&
				!blocked.every((entry) => partnerForms.includes(getForm(entry))) &&
				"Blocked Partners contains sites in a form that can't be compared with the partner, such as an ID or an IP address",
			words.length > 0 && normalizedAnchor === '' && "The anchor text can't be read",
			findDisguise(anchorText) ?? false,
			isListed && allowed.length === 0 && 'Allowed Partners is empty',
			isPartnerKnown &&
				allowed.length > 0 &&
				!allowed.some((entry) => coversEnd(entry, partner, { includeSubdomains: true })) &&
				"The partner isn't in Allowed Partners",
			own.length > 0 &&
				!own.some((choice) => coversOwnEnd(choice, ownEnd, { includeSubdomains: false })) &&
				"The offer isn't for a site in Your Sites",
		].filter((doubt) => doubt !== false);
		return doubts.length === 0 ? undefined : { outcome: 'needsReview', reason: doubts.join('. ') };
	};
	return { isAllowlistEmpty: isListed && allowed.length === 0, getDenial };
}

/** Returns whether a partner is blocked, on any port unless an entry has one. */
function isBlocked(partner: SiteIdentity, blocked: readonly SiteIdentity[]): boolean {
	return blocked.some((entry) => {
		const isAnyPort = entry.kind === 'url' && entry.port === '' && partner.kind === 'url';
		return coversSite(entry, isAnyPort ? { ...partner, port: '' } : partner, {
			includeSubdomains: true,
		});
	});
}

/**
 * Gets a list of sites.
 *
 * @throws {NodeOperationError} for an invalid entry, because ignoring it could spend credits
 */
function getSites(parameters: ParameterReader, field: INodeProperties): SiteChoice[] {
	return parameters.aliasGroups(field).map((names) => {
		const choice = parseSiteChoice(names);
		// Only the list of sites gives a second name: an ID, which may have any form.
		if (choice.some(({ kind }) => kind !== 'text')) return choice;
		throw parameters.invalid(
			field,
			names.join(', '),
			'a list of sites',
			'Enter names such as blog.example, or IDs of sites, separated by commas.',
		);
	});
}

/**
 * Gets a list of allowed sites.
 *
 * @throws {NodeOperationError} as `getSites` does, and for a public suffix such as co.uk, because
 * third parties have their sites below it
 */
function getAllowedSites(parameters: ParameterReader, field: INodeProperties): SiteChoice[] {
	const sites = getSites(parameters, field);
	const publicSuffix = sites.flat().find(isWholePublicSuffix);
	if (publicSuffix === undefined) return sites;
	const { host } = publicSuffix;
	throw parameters.invalid(
		field,
		host,
		'a list of full host names',
		`Enter a full name such as blog.${host}. Many unrelated sites end in ${host}.`,
	);
}

/** Returns whether a site is a public suffix, not a path on one, such as that of a user. */
function isWholePublicSuffix(site: SiteIdentity): site is SiteUrl {
	return site.kind === 'url' && site.path === '' && isPublicSuffix(site.host);
}
