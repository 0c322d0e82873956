import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isObject } from '../../../../shared/response';
import type { Settings } from '../../../../shared/settings';
import { hostOf, isHostOf } from '../../../../shared/site';

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
		'Sites whose offers may be accepted, separated by commas. Only the host name counts. If this is empty, no offer is accepted.',
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

const ownSites: INodeProperties = {
	displayName: 'Own Sites',
	name: 'ownSites',
	type: 'string',
	default: '',
	placeholder: 'e.g. my-shop.example',
	description:
		'Your sites for which offers may be accepted, separated by commas. Offers for your other sites are left to you.',
};

const refusedAnchorWords: INodeProperties = {
	displayName: 'Refused Anchor Words',
	name: 'refusedAnchorWords',
	type: 'string',
	default: '',
	placeholder: 'e.g. casino, betting',
	description:
		'Never accept an offer whose anchor text contains one of these words, separated by commas. Upper and lower case are the same.',
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

/** The rules that are options. */
export const ruleOptions = [includeSubdomains, ownSites, refusedAnchorWords, refusedPartners];

/** What the rules say of an offer; nothing is accepted that they refuse, or that they cannot read. */
export type Judgement =
	| { verdict: 'allowed'; reason?: undefined }
	/** `undecided`: left to a person; `skipped`: a limit keeps it from being accepted now. */
	| { verdict: 'refused' | 'undecided' | 'skipped'; reason: string };

/** Reads the rules; the result judges an offer by its record. Refusal wins over allowance. */
export function readRules(settings: Settings): (offer: IDataObject) => Judgement {
	const options = settings.collection();
	const isListed = settings.choice(acceptFrom) === 'listed';
	const allowed = isListed ? readSites(settings, allowedPartners) : [];
	const subdomains = { includeSubdomains: options.boolean(includeSubdomains) };
	const own = readSites(options, ownSites);
	const refused = readSites(options, refusedPartners);
	const words = options.words(refusedAnchorWords).map((word) => {
		const text = comparable(word);
		if (text !== '') return { word, text };
		throw options.refuse(refusedAnchorWords, word, 'words, separated by commas');
	});

	return ({ from_site, to_site, anchor }) => {
		const partner = hostOf(from_site);
		// A rule may call a site by its ID, where the record has both.
		const id = isObject(from_site) ? hostOf(from_site.id) : undefined;
		const partnerNames = [partner, id].filter((name) => name !== undefined);
		const site = hostOf(to_site);
		// U+FFFD stands for what is no UTF-8.
		const text = typeof anchor === 'string' && !anchor.includes('\ufffd') ? comparable(anchor) : '';
		const found = words.find((each) => text.includes(each.text));
		if (partnerNames.some((name) => isHostOf(name, refused, subdomains))) {
			return { verdict: 'refused', reason: 'The partner is in Refused Partners' };
		}
		if (found !== undefined) {
			return { verdict: 'refused', reason: `The anchor text contains "${found.word}"` };
		}
		const doubts = [
			partner === undefined && (isListed || refused.length > 0) && 'The partner cannot be read',
			partner !== undefined &&
				!refused.every((each) =>
					partnerNames.some((name) => isAddress(name) === isAddress(each)),
				) &&
				'Refused Partners names sites by ID and the offer by address, or the other way around',
			text === '' && words.length > 0 && 'The anchor text cannot be read',
			isListed && allowed.length === 0 && 'Allowed Partners is empty',
			partner !== undefined &&
				allowed.length > 0 &&
				!isHostOf(partner, allowed, subdomains) &&
				'The partner is not in Allowed Partners',
			own.length > 0 &&
				!(site !== undefined && isHostOf(site, own, subdomains)) &&
				'The offer is not for a site in Own Sites',
		].filter((doubt) => doubt !== false);
		return doubts.length === 0
			? { verdict: 'allowed' }
			: { verdict: 'undecided', reason: doubts.join('; ') };
	};
}

/** @throws NodeOperationError for an entry that is no site: a rule that is silently off would spend credits */
function readSites(settings: Settings, field: INodeProperties): string[] {
	return settings.words(field).map((entry) => {
		const host = hostOf(entry);
		if (host !== undefined) return host;
		throw settings.refuse(
			field,
			entry,
			'a list of sites such as blog.example, separated by commas',
		);
	});
}

/** Otherwise it is an ID: the one cannot be compared with the other. */
function isAddress(host: string): boolean {
	return /[.:]/.test(host);
}

/**
 * For comparing words: without accents, invisible characters, hyphens, brackets, quotation marks, bullets, and dots at the
 * end of a word; blanks as one, in one case, compatible forms alike.
 */
function comparable(text: string): string {
	return text
		.normalize('NFKD')
		.replace(/(?!\s)[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
		.replace(/[\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}'"`·•]|\.(?!\S)/gu, '')
		.replace(/\s+/g, ' ')
		.toUpperCase()
		.toLowerCase()
		.trim();
}
