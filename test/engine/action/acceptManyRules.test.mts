/** The rules of Accept Many: nothing is accepted that they refuse or cannot read. How sites and words may be written: test/unit/action/rules.test.mts. */
import { describe, expect, test } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { pending, published, serviceByHand } from './accepts.mts';

useVirtualTime();

test('what cannot be read is left to a person: partner, anchor, state or ID', async () => {
	const offer = { id: 'exc_1', from_site: 'tea.example', anchor: 'tea', status: 'pending' };
	const entries = [
		{ ...offer, id: 'partner', from_site: 'tea.\u0000example' },
		{ ...offer, id: 'anchor', anchor: 'par\ufffd' },
		{ ...offer, id: 'state', status: 'archived' },
		{ ...offer, id: 'exc_\u0007' },
		{ ...offer, id: 'x'.repeat(200_000) },
		// Those without an ID are as many items.
		{ ...offer, id: null },
		{ ...offer, id: undefined },
		{ id: null, status: 'accepted', accepted_at: new Date().toISOString() },
	];
	const service = await serviceByHand({ list: () => entries });
	const settings = {
		acceptFrom: 'listed',
		allowedPartners: 'tea.example',
		options: { refusedAnchorWords: 'casino', refusedPartners: 'spam.example' },
	};
	const { decisions } = await service.acceptMany(settings, published);
	expect(decisions.map(({ outcome, reason }) => [outcome, reason])).toEqual([
		['undecided', 'The partner cannot be read'],
		['undecided', 'The anchor text cannot be read'],
		['undecided', 'Its state cannot be read: the list shows "status": "archived"'],
		...Array<string[]>(4).fill(['undecided', 'Its ID cannot be read']),
	]);
	expect(JSON.stringify(decisions).length).toBeLessThan(5000);
	expect(service.posted).toEqual([]);
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

test('an anchor that changes while earlier offers take their time is judged as it is then', async () => {
	const offers = [pending(), pending()];
	const service = await serviceByHand({
		list: (reads) => (reads === 1 ? offers : offers.map((each) => ({ ...each, anchor: 'casino' }))),
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
