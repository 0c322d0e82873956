import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { optionsField } from '../../../../shared/descriptions/collections';
import { resourceLocatorList, siteLocator } from '../../../../shared/descriptions/resourceLocator';
import type { ParameterReader } from '../../../../shared/parameters/parameterReader';
import { isPublicSuffix } from '../../../../shared/utils/publicSuffixes';
import { getSiteIdKind, getSiteIds, matchesSite, parseSiteId } from '../../../../shared/utils/site';
import type { Denial } from '../accept/accept.types';
import { createWordMatcher, normalizeAnchor } from './anchorMatcher';

export const acceptFrom: INodeProperties = {
	displayName: 'Accept From',
	name: 'acceptFrom',
	type: 'options',
	options: [
		{
			name: 'Anyone',
			value: 'anyone',
			description: 'Every partner, unless another rule refuses the offer',
		},
		{
			name: 'Listed Partners',
			value: 'listed',
			description: 'Only the partners that you list; all other offers are left to you',
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
		'Sites whose offers may be accepted, separated by commas. Only the host name counts, or the ID. If this is empty, no offer is accepted.',
	displayOptions: { show: { acceptFrom: ['listed'] } },
};

const includeSubdomains: INodeProperties = {
	displayName: 'Include Subdomains',
	name: 'includeSubdomains',
	type: 'boolean',
	default: true,
	description:
		'Whether a site in a rule includes its subdomains, for example blog.tea.example in the case of tea.example',
};

const ownSites = resourceLocatorList(
	{
		displayName: 'Own Sites',
		name: 'ownSites',
		description:
			'Your sites for which offers may be accepted. Offers for your other sites are left to you.',
		...siteLocator,
	},
	'Add Site',
);

export const refusedAnchorWords: INodeProperties = {
	displayName: 'Refused Anchor Words',
	name: 'refusedAnchorWords',
	type: 'string',
	default: 'casino, betting, loan',
	placeholder: 'e.g. casino, betting',
	description:
		'Never accept an offer whose anchor text contains one of these words. Separate them with commas. Case, accents, and signs between the letters make no difference. If this is empty, no word is refused.',
};

const refusedPartners: INodeProperties = {
	displayName: 'Refused Partners',
	name: 'refusedPartners',
	type: 'string',
	default: '',
	placeholder: 'e.g. spam.example',
	description:
		'Never accept offers of these sites, separated by commas, even if another rule allows them',
};

export const rules: INodeProperties = {
	...optionsField([includeSubdomains, ownSites, refusedPartners]),
	displayName: 'Rules',
	name: 'rules',
	placeholder: 'Add rule',
	description: 'Further rules. A rule that is not added refuses nothing.',
};

/** The rules of one input item. */
export interface Rules {
	/** Whether only listed partners may be accepted, and none is listed. */
	isAllowlistEmpty: boolean;
	/** Evaluates the rules on an offer. They also deny an offer that they can't read. */
	getDenial: (offer: IDataObject) => Denial | undefined;
}

/** Combines sets of rules: any refusal wins, then any set that allows the offer. */
export function getCombinedDenial(
	ruleSets: readonly Rules[],
	offer: IDataObject,
): Denial | undefined {
	const denials = ruleSets.map(({ getDenial }) => getDenial(offer));
	const refusal = denials.find((denial) => denial?.outcome === 'refused');
	if (refusal !== undefined || denials.includes(undefined)) return refusal;
	const reasons = new Set(denials.map((denial) => denial?.reason));
	return { outcome: 'undecided', reason: [...reasons].join('; ') };
}

/**
 * Gets the rules of one input item. Refused wins over undecided, and undecided over allowed.
 *
 * @throws {NodeOperationError} for a rule that isn't valid
 */
export function getRules(parameters: ParameterReader): Rules {
	// A rule that was added and left empty would silently allow what it was meant to refuse.
	const options = parameters.collection(rules, { ignoreBlank: false });
	const isListed = parameters.option(acceptFrom) === 'listed';
	const allowedIds = isListed ? getAllowedSites(parameters, allowedPartners) : [];
	const matchOptions = { includeSubdomains: options.boolean(includeSubdomains) };
	const ownSiteIds = getAllowedSites(options, ownSites);
	const refusedIds = getSites(options, refusedPartners);
	const words = parameters.list(refusedAnchorWords).map((word) => {
		const matches = createWordMatcher(word);
		if (matches !== undefined) return { word, matches };
		throw parameters.invalid(refusedAnchorWords, word, 'words, separated by commas');
	});
	const isRefused = (name: string) => matchesSite(name, refusedIds, matchOptions);
	/** Returns whether an allowlist covers a site: any of its IDs, or all of its hosts. */
	const isCovered = (names: string[], sites: string[]) => {
		const isAllowed = (name: string) => matchesSite(name, sites, matchOptions);
		const isId = (name: string) => ['id', 'number'].includes(getSiteIdKind(name) ?? '');
		const ids = names.filter(isId);
		const hosts = names.filter((name) => !isId(name));
		return ids.some(isAllowed) || (hosts.length > 0 && hosts.every(isAllowed));
	};

	const getDenial: Rules['getDenial'] = ({ from_site, to_site, anchor }) => {
		const partnerIds = getSiteIds(from_site);
		const normalizedAnchor = normalizeAnchor(anchor);
		const matchedWord = words.find(({ matches }) => matches(normalizedAnchor));
		if (partnerIds.some(isRefused)) {
			return { outcome: 'refused', reason: 'The partner is in Refused Partners' };
		}
		if (matchedWord !== undefined) {
			return { outcome: 'refused', reason: `The anchor text contains “${matchedWord.word}”` };
		}
		const isPartnerKnown = partnerIds.length > 0;
		const isComparable = (site: string) =>
			partnerIds.some((name) => getSiteIdKind(name) === getSiteIdKind(site));
		const doubts = [
			!isPartnerKnown && (isListed || refusedIds.length > 0) && 'The partner cannot be read',
			isPartnerKnown &&
				!refusedIds.every(isComparable) &&
				'Refused Partners names sites in a way that the offer does not, such as by ID or IP address',
			normalizedAnchor === '' && words.length > 0 && 'The anchor text cannot be read',
			isListed && allowedIds.length === 0 && 'Allowed Partners is empty',
			isPartnerKnown &&
				allowedIds.length > 0 &&
				!isCovered(partnerIds, allowedIds) &&
				'The partner is not in Allowed Partners',
			ownSiteIds.length > 0 &&
				!isCovered(getSiteIds(to_site), ownSiteIds) &&
				'The offer is not for a site in Own Sites',
		].filter((doubt) => doubt !== false);
		return doubts.length === 0 ? undefined : { outcome: 'undecided', reason: doubts.join('; ') };
	};
	return { isAllowlistEmpty: isListed && allowedIds.length === 0, getDenial };
}

/**
 * Gets the hosts and IDs of a list of sites.
 *
 * @throws {NodeOperationError} for an invalid entry, because ignoring it could spend credits
 */
function getSites(parameters: ParameterReader, field: INodeProperties): string[] {
	return parameters.list(field).map((entry) => {
		const host = parseSiteId(entry);
		if (host !== undefined) return host;
		throw parameters.invalid(
			field,
			entry,
			'a list of sites such as blog.example, or of their IDs, separated by commas',
		);
	});
}

/**
 * Gets the hosts and IDs of a list of allowed sites.
 *
 * @throws {NodeOperationError} as `getSites` does, and for a public suffix such as co.uk, because
 * third parties have their sites below it
 */
function getAllowedSites(parameters: ParameterReader, field: INodeProperties): string[] {
	const sites = getSites(parameters, field);
	const publicSuffix = sites.find(isPublicSuffix);
	if (publicSuffix === undefined) return sites;
	throw parameters.invalid(
		field,
		publicSuffix,
		`a list of sites, each with its whole name, such as blog.${publicSuffix}, because many sites of strangers end in ${publicSuffix}`,
	);
}
