import type { INodeProperties } from 'n8n-workflow';

import { filtersField } from '../../../shared/descriptions/collections';
import { resourceLocator, siteLocator } from '../../../shared/descriptions/resourceLocator';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import { type Direction, getExchangeEnds } from '../../../shared/utils/direction';
import {
	coversOwnEnd,
	getEndIdentities,
	parseSiteChoice,
	type SiteChoice,
} from '../../../shared/utils/siteChoice';
import type { OwnSites } from '../../../shared/utils/siteIdentity';
import { foldWords } from '../../../shared/utils/text';
import { isOnOrAfter } from '../../../shared/utils/time';
import outputSchema from '../../__schema__/v1.0.0/exchange/getAll.json';
import { type Condition, getMany, listFields, type ListFilter } from '../../getMany';
import type { Operation } from '../../operation.types';
import { exchangeToItem } from './exchangeItem';

const status: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: [
		{ name: 'Accepted', value: 'accepted', description: "Accepted, but the link isn't live yet" },
		{ name: 'All', value: 'all', description: 'Exchanges with any status' },
		{ name: 'Broken', value: 'broken', description: 'The link was live and no longer is' },
		{ name: 'Live', value: 'live', description: 'The link is published' },
		{ name: 'Pending', value: 'pending', description: "Offers that aren't accepted yet" },
	],
	default: 'pending',
	description: 'Only exchanges with this status',
};

const anchor: INodeProperties = {
	displayName: 'Anchor Text',
	name: 'anchor',
	type: 'string',
	default: '',
	placeholder: 'e.g. garden',
	description:
		'Only exchanges whose anchor text contains this text. Upper and lower case are the same.',
};

const direction: INodeProperties = {
	displayName: 'Direction',
	name: 'direction',
	type: 'options',
	options: [
		{ name: 'Incoming', value: 'incoming', description: 'A partner made you the offer' },
		{ name: 'Outgoing', value: 'outgoing', description: 'You made the offer to a partner' },
	],
	default: 'incoming',
	description: 'Only exchanges in this direction. Only incoming offers can be accepted.',
};

const since: INodeProperties = {
	displayName: 'Since',
	name: 'since',
	type: 'dateTime',
	default: '',
	description: 'Only exchanges that changed at or after this time',
};

const site = resourceLocator({
	displayName: 'Site',
	name: 'site',
	description:
		"Only exchanges of this site, its pages and its subdomains. It can be your site or a partner's.",
	...siteLocator,
});

/** `status` is the only documented filter (service-api.md, "Endpoints"). */
const filters = filtersField(
	"Exchanges that don't have the field that you filter by are left out. A hint shows how many.",
	[anchor, direction, since, site, status],
);

/** Fields that may show when an exchange changed. Only the first two are documented. */
const exchangeTimes = ['accepted_at', 'published_at', 'created_at', 'requested_at', 'updated_at'];

/** GET /exchanges with the documented status filter (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many exchanges',
	description: 'Retrieve a list of exchanges',
	outputSchema,
	usageHint:
		"To get the pending offers that you can accept, set filters { status: 'pending', direction: 'incoming' }. To accept one of them, use its exchangeId in accept.",
	properties: [...listFields, filters],
	...getMany('exchanges', (parameters) => {
		const filterParameters = parameters.collection(filters);
		return {
			query: getQuery(filterParameters),
			conditions: createConditions(filterParameters),
			getSiteConditions: createSiteConditions(filterParameters),
			toItem: exchangeToItem,
		};
	}),
};

/** Reads the only filter that the service applies itself. */
function getQuery(parameters: ParameterReader): ListFilter['query'] {
	const selected = parameters.has(status) ? parameters.option(status) : 'all';
	return selected === 'all' ? undefined : { status: selected };
}

function createConditions(parameters: ParameterReader): Condition[] {
	const conditions: Condition[] = [];
	if (parameters.has(anchor)) {
		conditions.push(anchorContains(foldWords(parameters.string(anchor))));
	}
	if (parameters.has(since)) {
		conditions.push(isOnOrAfter(parameters.dateTime(since), exchangeTimes));
	}
	return conditions;
}

/**
 * Reads the filters that depend on the account's sites.
 *
 * @returns `undefined` if there are none: then no request for the sites is needed
 */
function createSiteConditions(parameters: ParameterReader): ListFilter['getSiteConditions'] {
	const selected = parameters.has(direction) ? parameters.option(direction) : undefined;
	const sites = parameters.has(site) ? parameters.aliasGroups(site).map(parseSiteChoice) : [];
	if (selected === undefined && sites.length === 0) return undefined;
	return (ownSites) => [
		...(selected === undefined ? [] : [hasDirection(selected as Direction, ownSites)]),
		...(sites.length === 0 ? [] : [hasSite(sites, ownSites)]),
	];
}

function anchorContains(text: string): Condition {
	return ({ anchor: value }) => {
		if (value === undefined) return undefined;
		return typeof value === 'string' && foldWords(value).includes(text);
	};
}

function hasDirection(selected: Direction, ownSites: OwnSites): Condition {
	return (exchange) => getExchangeEnds(exchange, ownSites).direction === selected;
}

/** Checks whether one of the two ends belongs to one of these sites. */
function hasSite(sites: SiteChoice[], ownSites: OwnSites): Condition {
	return ({ from_site, to_site }) => {
		const ends = [from_site, to_site].map((end) => ({ site: end, ownSite: ownSites.find(end) }));
		if (ends.every((end) => getEndIdentities(end.site).length === 0)) return undefined;
		return sites.some((choice) =>
			ends.some((end) => coversOwnEnd(choice, end, { includeSubdomains: true })),
		);
	};
}
