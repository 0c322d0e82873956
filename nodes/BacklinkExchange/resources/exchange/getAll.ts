import type { INodeProperties } from 'n8n-workflow';

import type { Exchange } from '../../../shared/api/exchange';
import { listExchanges } from '../../../shared/api/fetchExchanges';
import { filtersField } from '../../../shared/descriptions/collections';
import { resourceLocator, siteLocator } from '../../../shared/descriptions/resourceLocator';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import { isOfSite } from '../../../shared/sites/site';
import { foldWords } from '../../../shared/utils/text';
import outputSchema from '../../__schema__/v1.0.0/exchange/getAll.json';
import { type Condition, getMany, listFields } from '../../getMany';
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

const changedBefore: INodeProperties = {
	displayName: 'Changed Before',
	name: 'changedBefore',
	type: 'dateTime',
	default: '',
	description:
		"Only exchanges that reached their status before this time, for example accepted offers that still aren't published",
};

const changedSince: INodeProperties = {
	displayName: 'Changed Since',
	name: 'changedSince',
	type: 'dateTime',
	default: '',
	description: 'Only exchanges that reached their status at or after this time',
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
	[anchor, changedBefore, changedSince, direction, site, status],
);

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
	...getMany({
		fetch: listExchanges,
		getFilter(parameters) {
			const filterParameters = parameters.collection(filters);
			return {
				query: getQuery(filterParameters),
				conditions: createConditions(filterParameters),
			};
		},
		toItem: exchangeToItem,
	}),
};

/** Reads the only filter that the service applies itself. */
function getQuery(parameters: ParameterReader): Record<string, string> | undefined {
	const selected = parameters.has(status) ? parameters.option(status) : 'all';
	return selected === 'all' ? undefined : { status: selected };
}

function createConditions(parameters: ParameterReader): Array<Condition<Exchange>> {
	const conditions: Array<Condition<Exchange>> = [];
	if (parameters.has(anchor)) {
		const text = foldWords(parameters.string(anchor));
		conditions.push((exchange) =>
			exchange.anchor === undefined ? undefined : foldWords(exchange.anchor).includes(text),
		);
	}
	if (parameters.has(direction)) {
		const selected = parameters.option(direction);
		conditions.push((exchange) => exchange.direction === selected);
	}
	if (parameters.has(changedBefore)) {
		const time = parameters.dateTime(changedBefore) / 1000;
		conditions.push(({ statusSince: since }) => (since === undefined ? undefined : since < time));
	}
	if (parameters.has(changedSince)) {
		// The service may give whole seconds.
		const time = Math.floor(parameters.dateTime(changedSince) / 1000);
		conditions.push(({ statusSince: since }) => (since === undefined ? undefined : since >= time));
	}
	if (parameters.has(site)) conditions.push(createSiteCondition(parameters));
	return conditions;
}

/** Checks whether your site or the partner is this site, a page or a subdomain of it. */
function createSiteCondition(parameters: ParameterReader): Condition<Exchange> {
	const names = parameters.sites(site);
	return (exchange) => {
		const sites = [exchange.site, exchange.partner];
		if (sites.every(({ id, url }) => id === undefined && url === undefined)) return undefined;
		return names.some((name) =>
			sites.some((each) => isOfSite(name, each, { includeSubdomains: true })),
		);
	};
}
