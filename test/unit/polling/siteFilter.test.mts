/** The Sites filter of the polling trigger. */
import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { isOfSites, sitesField } from '../../../nodes/BacklinkExchangeTrigger/siteFilter.ts';
import { eventFiltersField } from '../../../nodes/shared/descriptions/eventFilters.ts';
import { ParameterReader } from '../../../nodes/shared/parameters/parameterReader.ts';
import { OwnSites } from '../../../nodes/shared/sites/ownSites.ts';
import { createEvent } from '../shared/createEvent.mts';

const shop = { id: 'site_shop', url: 'https://shop.example' };
const german = { id: 'site_de', url: 'https://shop.example/de' };
const blog = { id: 'tea-blog', url: 'https://blog.shop.example' };
const account = new OwnSites([shop, german, blog]);
const partner = 'https://partner.example';

type Value = IDataObject[string];

const choose = ({ url }: { url: string }) => [url];

function createFilter(sites: unknown) {
	const parameters = { filters: { sites } };
	const context = {
		getNode: () => ({ name: 'Node', type: 'test', typeVersion: 1, parameters }),
		getNodeParameter: (name: keyof typeof parameters) => parameters[name],
	};
	const parameterReader = ParameterReader.forNode(context as unknown as IPollFunctions);
	return parameterReader.collection(eventFiltersField(sitesField)).sites(sitesField);
}

/** Returns whether an exchange passes the filter. */
function passes(sites: unknown, record: IDataObject): boolean {
	const event = createEvent('exchange.requested', record, { ownSites: account });
	return isOfSites(event, createFilter(sites));
}

test.each<[chosen: typeof shop, end: Value, expected: boolean]>([
	[german, 'https://www.shop.example/de/', true],
	[german, 'https://shop.example/de/page?x=1', true],
	[german, { id: 'site_de' }, true],
	[german, 'https://shop.example/fr', false],
	[german, 'https://shop.example/DE', false],
	[german, 'https://shop.example', false],
	[shop, 'https://shop.example/about', true],
	[shop, 'https://en.shop.example', true],
	[shop, 'https://shop.example/de', false],
	[shop, 'https://blog.shop.example', false],
	[blog, 'tea-blog', true],
	[shop, 'https://elsewhere.example', false],
	[shop, 'some shop', false],
	[shop, undefined, false],
])('chosen: %j; an offer for %j: %s', (chosen, end, expected) => {
	expect(passes(choose(chosen), { from_site: partner, to_site: end })).toBe(expected);
	// The direction makes no difference.
	expect(passes(choose(chosen), { from_site: end, to_site: partner })).toBe(expected);
});

test.each<[entered: string, from: Value, expected: boolean]>([
	['partner.example', 'https://blog.partner.example/x', true],
	['partner.example/@friend', 'https://partner.example/@stranger', false],
	['partner.example/@friend', 'https://partner.example/@friend', true],
	['site_0Gv7qE', 'site_0Gv7qe', false],
	['site_0Gv7qE', 'site_0Gv7qE', true],
	['site_0Gv7qE', partner, false],
	['17', 17, true],
	['127.0.0.1', partner, false],
])('entered: %s; an offer from %j: %s', (entered, from, expected) => {
	expect(passes(entered, { from_site: from, to_site: german.url })).toBe(expected);
});

test("an alert is filtered by its exchange, and doesn't pass if that isn't known", () => {
	const filter = createFilter(choose(german));
	const alert = { exchange_id: 'exc_1', type: 'gone' };
	const isIncluded = (exchange?: IDataObject) =>
		isOfSites(createEvent('watchdog.alert', alert, { exchange }), filter);
	expect(isIncluded()).toBe(false);
	expect(isIncluded({ from_site: partner, to_site: 'https://shop.example/fr' })).toBe(false);
	expect(isIncluded({ from_site: partner, to_site: 'https://shop.example/de' })).toBe(true);
});

test('Low Credits passes, because it has no site', () => {
	const event = createEvent('credits.low', { balance: 3 });
	expect(isOfSites(event, createFilter(choose(german)))).toBe(true);
});
