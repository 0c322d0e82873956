import { expect, test } from 'vitest';

import { digest, groupByLabel } from '../../../../nodes/shared/formatting/digest.ts';

/** Returns the message of a digest. */
const getMessage = (...args: Parameters<typeof digest>) => digest(...args)[0]?.message as string;

const items = (count: number, words = 'Offer') =>
	Array.from({ length: count }, (_, at) => ({ message: `${words} ${at + 1}`, id: `exc_${at}` }));

test('the title has counts, most urgent kind first, after a note about a dry run', () => {
	const parts = [
		{ label: 'outcome unknown', items: items(1) },
		{ label: 'to decide', items: items(3) },
		{ label: 'failed', items: [] },
		{ label: 'accepted', items: items(2) },
	];
	expect(digest(parts)[0]?.title).toBe('1 outcome unknown, 3 to decide, 2 accepted');
	const dryRun = digest([{ label: 'would be accepted', items: items(2) }], { heading: 'Dry run' });
	expect(dryRun[0]?.title).toBe('Dry run: 2 would be accepted');
});

test('the title begins with a capital letter, and leaves out a count that means nothing', () => {
	const labels = [
		{ value: 'low', singular: 'low credits', isCounted: false },
		{ value: 'new', singular: 'new offer', plural: 'new offers' },
	];
	const news = ['new', 'low', 'new'].map((event) => ({ event, message: 'Message' }));
	expect(digest(groupByLabel('event', news, labels))).toMatchObject([
		{ title: 'Low credits, 2 new offers', count: 3 },
	]);
});

test('the title names the first site, and for one item what happened', () => {
	const offers = (...sites: string[]) =>
		sites.map((site) => ({ message: 'Offer', partner: 'https://p.example', site }));
	const getTitle = (items: Array<Record<string, string>>) =>
		digest([{ label: 'accepted', items }], { heading: 'Live' })[0]?.title;
	expect(getTitle(offers('https://a.example', 'b.example', 'https://a.example'))).toBe(
		'Live: 3 accepted: a.example and 1 more',
	);
	expect(getTitle(offers('a.example'))).toBe('Live: 1 accepted: p.example → a.example');
	expect(getTitle([{ message: 'Event', title: 'New offer', site: 'a.example' }])).toBe('New offer');
});

test('formats one item as a line and several as a list below the title, and includes all as items', () => {
	const one = items(1);
	expect(digest([{ label: 'accepted', items: one }])).toEqual([
		{ message: 'Offer 1', title: '1 accepted', count: 1, items: one },
	]);
	const nine = items(9);
	const message = ['9 accepted', ...nine.map((item) => `- ${item.message}`)].join('\n');
	expect(digest([{ label: 'accepted', items: nine }])).toMatchObject([
		{ message, count: 9, items: nine },
	]);
});

test('returns no digest without news, even with open offers', () => {
	const closing = ['4 older offers still wait for you.'];
	expect(digest([{ label: 'accepted', items: [] }], { closing })).toEqual([]);
});

test.each([10, 11, 200])('lists ten of %i items of a kind, and counts the rest', (count) => {
	const closing = ['4 older offers still wait for you.'];
	const message = getMessage([{ label: 'accepted', items: items(count) }], { closing });
	const more = count > 10 ? [`- and ${count - 10} more accepted`] : [];
	// A first line with a list marker would be a formula in a spreadsheet.
	const shown = items(10).map((item) => `- ${item.message}`);
	expect(message.split('\n')).toEqual([`${count} accepted`, ...shown, ...more, ...closing]);
});

test('counts long messages instead of truncating them', () => {
	const long = items(20, 'x'.repeat(400));
	const message = getMessage([{ label: 'accepted', items: long }]);
	expect(message.length).toBeLessThanOrEqual(3500);
	const lines = message.split('\n');
	const shown = lines.slice(1, -1);
	expect(shown.every((line, at) => line === `- ${long[at]?.message ?? ''}`)).toBe(true);
	expect(lines.at(-1)).toBe(`- and ${20 - shown.length} more accepted`);
});

test('counts a kind without "more" if none of its items fits', () => {
	const parts = [
		{ label: 'links broken', items: items(9, 'x'.repeat(350)) },
		{ label: 'offers accepted', items: items(9, 'y'.repeat(350)) },
	];
	const lines = getMessage(parts).split('\n');
	expect(lines.at(-1)).toBe('- 9 offers accepted');
});
