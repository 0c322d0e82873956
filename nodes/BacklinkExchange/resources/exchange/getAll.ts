import type { INodeProperties } from 'n8n-workflow';

import { filtersField } from '../../../shared/descriptions/collections';
import { resourceLocator, siteLocator } from '../../../shared/descriptions/resourceLocator';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import { getNormalizedSites, normalizeSite } from '../../../shared/utils/site';
import { isOnOrAfter } from '../../../shared/utils/time';
import outputSchema from '../../__schema__/v1.0.0/exchange/getAll.json';
import { type Condition, getMany, listFields } from '../../getMany';
import type { Operation } from '../../operation.types';

const status: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: [
		{ name: 'Accepted', value: 'accepted', description: 'Accepted, the link is not live yet' },
		{ name: 'All', value: 'all', description: 'Exchanges of every status' },
		{ name: 'Broken', value: 'broken', description: 'The link was live and no longer is' },
		{ name: 'Live', value: 'live', description: 'The link is published' },
		{ name: 'Pending', value: 'pending', description: 'Offers waiting to be accepted' },
	],
	default: 'all',
	description: 'Return only exchanges with this status',
};

const anchor: INodeProperties = {
	displayName: 'Anchor Text',
	name: 'anchor',
	type: 'string',
	default: '',
	placeholder: 'e.g. garden',
	description: 'Only exchanges whose anchor text contains this. Upper and lower case are the same.',
};

const since: INodeProperties = {
	displayName: 'Since',
	name: 'since',
	type: 'dateTime',
	default: '',
	description:
		'Only exchanges that were accepted, published or otherwise changed at this time or later, as far as their fields show it',
};

const site = resourceLocator({
	displayName: 'Site',
	name: 'site',
	description:
		'Only exchanges of this site, your own or a partner\'s. For a partner, enter its address or ID as the service writes it in "from_site" and "to_site".',
	...siteLocator,
});

/** `status` is the only documented filter (service-api.md, "Endpoints"). */
const filters = filtersField(
	'Which exchanges to return. The service has no such filters: the node reads the list and applies them itself. Exchanges without the filtered field are left out, and a note says so.',
	[anchor, since, site],
);

/** Fields that may show when an exchange changed. Only the first two are documented. */
const exchangeTimes = ['accepted_at', 'published_at', 'created_at', 'requested_at', 'updated_at'];

/** GET /exchanges with the documented status filter (service-api.md, "Endpoints"). */
export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many exchanges',
	description: 'List exchange offers for the sites of the account',
	outputSchema,
	usageHint: 'from_site is the partner, to_site yours.',
	properties: [status, ...listFields, filters],
	...getMany('exchanges', (parameters) => {
		const selectedStatus = parameters.option(status);
		return {
			query: selectedStatus === 'all' ? undefined : { status: selectedStatus },
			conditions: createConditions(parameters.collection(filters)),
			missingField: {
				// Leave out incomparable exchanges: accepting the returned ones spends credits.
				keep: false,
				formatHint: (count) =>
					`Left out for lack of a filtered field (anchor text, sites or times): ${count} of the exchanges that the service lists.`,
			},
		};
	}),
};

function createConditions(parameters: ParameterReader): Condition[] {
	const conditions: Condition[] = [];
	if (parameters.has(anchor)) {
		conditions.push(anchorContains(parameters.string(anchor).toLowerCase()));
	}
	if (parameters.has(since)) {
		conditions.push(isOnOrAfter(parameters.dateTime(since), exchangeTimes));
	}
	if (parameters.has(site)) conditions.push(hasSite(parameters.list(site).map(normalizeSite)));
	return conditions;
}

function anchorContains(text: string): Condition {
	return ({ anchor: value }) => {
		if (value === undefined) return undefined;
		return typeof value === 'string' && value.toLowerCase().includes(text);
	};
}

/**
 * Checks whether a site is one of the two ends.
 *
 * @param siteNames the URL and the ID of the site, if both are known
 */
function hasSite(siteNames: string[]): Condition {
	return ({ from_site, to_site }) => {
		const names = [from_site, to_site].flatMap(getNormalizedSites);
		return names.length === 0 ? undefined : names.some((name) => siteNames.includes(name));
	};
}
