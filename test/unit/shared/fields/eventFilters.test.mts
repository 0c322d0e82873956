/** Which events the filters of both triggers leave out. */
import { describe, expect, it } from 'vitest';

import { passesFilters, readEventFilters } from '../../../../nodes/shared/fields/eventFilters.ts';
import { Settings } from '../../../../nodes/shared/fields/settings.ts';

const passes = (sites: string, data: object, exchange?: object) =>
	passesFilters('exchange.requested', data as never, filters(sites), exchange as never);

function filters(sites: string, severities = '', mode = 'only') {
	const entries = {
		severitiesMode: mode,
		...(sites && { sites }),
		...(severities && { severities }),
	};
	const context = { getNodeParameter: () => entries, getNode: () => ({ parameters: {} }) };
	return readEventFilters(Settings.ofNode(context as never));
}

const ours = 'https://ours.example/';
const theirs = 'https://theirs.example/';
const others = 'https://others.example/';

describe('the filter of sites', () => {
	it('takes an event of one of the sites, at either end, in any way of writing it', () => {
		for (const written of [
			'https://ours.example',
			'http://www.ours.example/',
			' OURS.example. ',
			'ours.example:443',
			'https://user@ours.example/?a=b#c',
		]) {
			expect(passes(written, { from_site: ours, to_site: theirs }), written).toBe(true);
			expect(passes(`${others}, ${written}`, { from_site: theirs, to_site: ours })).toBe(true);
			expect(passes(ours, { from_site: { url: written }, to_site: theirs }), written).toBe(true);
		}
		expect(passes('site_1', { from_site: { id: 'site_1' }, to_site: theirs })).toBe(true);
		expect(passes('My Blog', { from_site: { id: 7, name: 'my blog' } })).toBe(true);
	});

	it('leaves out an event of other sites', () => {
		expect(passes(ours, { from_site: theirs, to_site: others })).toBe(false);
		expect(passes('site_1', { from_site: 'site_2', to_site: { id: 'site_3' } })).toBe(false);
		expect(passes('https://ours.example/blog', { from_site: ours, to_site: theirs })).toBe(false);
		expect(passes(ours, {}, { from_site: theirs, to_site: others })).toBe(false);
		const both = { url: theirs, id: 'site_2' };
		expect(passes(`${ours}, site_1`, { from_site: both, to_site: both })).toBe(false);
	});

	it.each([
		['no site', {}],
		['one of the two', { from_site: theirs }],
		['IDs', { from_site: 'site_2', to_site: 'site_3' }],
		['an ID at one end', { from_site: theirs, to_site: 'site_3' }],
		['what is no text', { from_site: null, to_site: ['https://theirs.example'] }],
		['names', { from_site: { name: 'theirs' }, to_site: 'Blog of others' }],
	])('loses no event that names %s when a URL was entered', (_what, data) => {
		expect(passes(ours, data)).toBe(true);
	});

	it('loses no event that names URLs when an ID was entered, also among others', () => {
		expect(passes('site_1', { from_site: theirs, to_site: others })).toBe(true);
		expect(passes(`${ours}, site_1`, { from_site: theirs, to_site: others })).toBe(true);
		expect(passes('my blog', { from_site: theirs, to_site: others })).toBe(true);
		expect(passes('my/blog.html', { from_site: theirs, to_site: others })).toBe(true);
	});
});

describe('the filter of severities', () => {
	const alertPasses = (severity: unknown, mode: string) =>
		passesFilters('watchdog.alert', { severity } as never, filters('', 'Critical, high', mode));

	it('takes these, or all but these, in any case', () => {
		for (const severity of ['critical', ' CRITICAL ', 'High']) {
			expect(alertPasses(severity, 'only')).toBe(true);
			expect(alertPasses(severity, 'allBut')).toBe(false);
		}
		for (const severity of ['low', 'p1', '1st']) {
			expect(alertPasses(severity, 'only')).toBe(false);
			expect(alertPasses(severity, 'allBut')).toBe(true);
		}
		expect(passesFilters('watchdog.alert', { severity: 5 }, filters('', '10'))).toBe(false);
	});

	it('takes what cannot be compared either way, so that nothing is lost', () => {
		for (const severity of [undefined, null, '', ' ', 5, '5', {}]) {
			expect(alertPasses(severity, 'only'), JSON.stringify(severity)).toBe(true);
			expect(alertPasses(severity, 'allBut'), JSON.stringify(severity)).toBe(true);
		}
	});

	it('concerns alerts alone', () => {
		const exchange = { severity: 'low' };
		expect(passesFilters('exchange.accepted', exchange, filters('', 'critical'))).toBe(true);
		expect(passesFilters('watchdog.alert', { severity: 'low' }, filters(''))).toBe(true);
		expect(passesFilters('watchdog.alert', { severity: 'low' }, filters('', '', 'allBut'))).toBe(
			true,
		);
	});
});
