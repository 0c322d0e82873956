/** The rules of Accept Many: nothing is accepted that they refuse or cannot read. How sites and words may be written: test/unit/action/rules.test.mts. */
import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { pending, serviceByHand } from './accepts.mts';

useVirtualTime();

test.each([
	['a partner that cannot be read', { from_site: { name: 7 } }, 'The partner cannot be read'],
	[
		'a partner with a control character',
		{ from_site: 'tea.\u0000example' },
		'The partner cannot be read',
	],
	['no anchor', { anchor: null }, 'The anchor text cannot be read'],
	['an anchor that is no UTF-8', { anchor: 'par\ufffd' }, 'The anchor text cannot be read'],
	[
		'a state that nobody knows',
		{ status: 'archived' },
		'Its state cannot be read: the list shows "status": "archived"',
	],
	['an ID with a control character', { id: 'exc_\u0007' }, 'Its ID cannot be read'],
	['no ID', { id: null }, 'Its ID cannot be read'],
])('%s is left to a person', async (_, fields, reason) => {
	const offer = { id: 'exc_1', from_site: 'tea.example', anchor: 'tea', status: 'pending' };
	const service = await localService(json([{ ...offer, ...fields }]));
	const { decisions } = await service.acceptMany({
		acceptFrom: 'listed',
		allowedPartners: 'tea.example',
		options: { refusedAnchorWords: 'casino', refusedPartners: 'spam.example' },
	});
	expect(decisions).toMatchObject([{ outcome: 'undecided', reason }]);
	expect(service.asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('offers without an ID are as many items', async () => {
	const accepted = { status: 'accepted', accepted_at: new Date().toISOString() };
	const list = [{}, {}, accepted].map((fields) => pending({ id: undefined, ...fields }));
	const service = await serviceByHand({ list: () => list });
	const { outcomes } = await service.acceptMany({}, { mode: 'trigger' });
	expect(outcomes).toEqual(['undecided', 'undecided']);
});

describe('own sites', () => {
	const row = (mode: string, value: unknown) => ({ __rl: true, mode, value });
	test.each([
		['rows', [row('list', 'https://own.example, site_2'), row('id', 'tea.example')]],
		['a row with several', [row('id', 'own.example, site_2, tea.example')]],
		['an array of an expression', '={{ ["own.example", "site_2", "tea.example"] }}'],
		['a text', 'own.example, site_2, tea.example'],
	])('may come as %s', async (_, ownSites) => {
		const sites = ['https://own.example', 'SITE_2', { id: 'site_2', url: 'https://own.example' }];
		const list = [...sites, 'tea.example', 'other.example'].map((to_site) => pending({ to_site }));
		const service = await serviceByHand({ list: () => list });
		const { outcomes } = await service.acceptMany({ options: { ownSites } });
		expect(outcomes).toEqual([...Array<string>(4).fill('accepted'), 'undecided']);
	});
	test.each([[[]], [[row('list', '')]], [[row('id', 'own.example'), row('list', '')]], ['']])(
		'a row that is left empty, %j, is an error: the rule must not be off in silence',
		async (ownSites) => {
			const service = await serviceByHand({ list: () => [pending()] });
			const { error } = await service.acceptMany({ options: { ownSites } });
			expect([error?.message, service.asked]).toEqual(['"Own Sites" is empty', []]);
		},
	);
});

test.each(['.', '..', ' ', '\u2003', '%2e', 'a/../b', '__proto__', 'constructor', '#', 'a?b'])(
	'an ID that cannot be part of an address: %j leaves the other offers going',
	async (id) => {
		const offers = [pending(), pending({ id }), pending()];
		const service = await serviceByHand({ list: () => offers });
		const { decisions, error } = await service.acceptMany();
		expect(error?.message).toBeUndefined();
		expect(decisions.length).toBe(3);
		expect([decisions[0]?.outcome, decisions[2]?.outcome]).toEqual(['accepted', 'accepted']);
	},
);

describe('rules, and lists that change or contradict themselves', () => {
	test('an anchor that changes while earlier offers take their time', async () => {
		const offers = [pending(), pending()];
		const service = await serviceByHand({
			list: (reads) =>
				reads === 1 ? offers : offers.map((each) => ({ ...each, anchor: 'casino' })),
			accept: (id, response) => {
				setTimeout(() => response.end(JSON.stringify({ id, status: 'accepted' })), 6000);
				response.writeHead(200);
				return undefined;
			},
		});
		const { outcomes } = await service.acceptMany({ options: { refusedAnchorWords: 'casino' } });
		expect(service.posted).toEqual([offers[0]?.id]);
		expect(outcomes).toEqual(['accepted', 'refused']);
	});
});
