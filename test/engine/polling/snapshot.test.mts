/**
 * How the trigger reads the account: which lists it fetches, how it parses them, and what it only
 * logs.
 */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { maxTrackedAlerts } from '../../../nodes/BacklinkExchangeTrigger/sources/alerts.ts';
import { maxTrackedExchanges } from '../../../nodes/BacklinkExchangeTrigger/sources/exchanges.ts';
import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { singleVariants } from '../../../sandbox/dialects.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	getEventKeys,
	getEventNames,
	minute,
	onlyOffers,
	setUp,
	setUpWithResponse,
} from './setup.mts';

const clock = useVirtualTime();

const transitions = { events: ['exchange.requested', 'exchange.accepted', 'exchange.published'] };

test('fetches only one list while it shows all known exchanges', async () => {
	const { sandbox, poller } = await setUp({}, transitions);
	sandbox.requestOffer({ id: 'p' });
	await poller.start();
	await poller.poll();
	sandbox.accept('p');
	expect(getEventNames(await poller.poll())).toEqual(['exchange.accepted']);
	const paths = sandbox.books.requests().map(({ path }) => path);
	expect(paths.filter((path) => path === '/api/exchanges')).toHaveLength(3);
});

test.each(singleVariants('exchangeList'))(
	'emits nothing that was there before the first poll: $name',
	async ({ settings }) => {
		const { sandbox, poller } = await setUp({ dialect: settings }, transitions);
		for (const id of ['accepted', 'live', 'broken', 'pending']) sandbox.requestOffer({ id });
		for (const id of ['accepted', 'live', 'broken']) sandbox.accept(id);
		for (const id of ['live', 'broken']) sandbox.publish(id);
		sandbox.breakLink('broken');
		await poller.start();
		await clock.wait(minute);
		expect(await poller.poll()).toEqual([]);
		sandbox.accept('pending');
		await clock.wait(minute);
		expect(getEventNames(await poller.poll())).toEqual(['exchange.accepted']);
	},
);

test('looks for an exchange that left the list only once per status', async () => {
	let whole = ['a', 'b'];
	let statuses = 0;
	const poller = await setUpWithResponse(({ url = '' }) => {
		if (url.includes('status=')) statuses++;
		const isAccepted = url.includes('status=accepted') && !whole.includes('a');
		if (isAccepted) return [{ id: 'a', status: 'accepted' }];
		return url.includes('status=') ? [] : whole.map((id) => ({ id, status: 'pending' }));
	}, transitions);
	await poller.start();
	statuses = 0;
	whole = ['b'];
	await clock.wait(minute);
	expect(getEventKeys(await poller.poll())).toEqual(['exchange.accepted:a']);
	expect(statuses).toBe(3);
	whole = ['a'];
	for (let poll = 0; poll < 3; poll++) {
		await clock.wait(minute);
		await poller.poll();
	}
	expect(statuses).toBe(6);
});

test("logs a list with further pages that it can't follow, but not a complete one", async () => {
	let more = true;
	const poller = await setUpWithResponse(() => ({ events: [], has_more: more }), {
		events: ['watchdog.alert'],
	});
	await poller.start();
	expect(poller.warnings).toEqual([
		expect.stringContaining('the service has more alerts than it returned'),
	]);
	more = false;
	await poller.poll();
	expect(poller.warnings).toHaveLength(1);
});

test('uses the most advanced status among duplicate entries', async () => {
	let entries = [{ id: 'x', status: 'pending' }];
	const poller = await setUpWithResponse(() => entries, transitions);
	await poller.start();
	entries = ['accepted', 'pending'].map((status) => ({ id: 'x', status }));
	expect(getEventNames(await poller.poll())).toEqual(['exchange.accepted']);
	entries.reverse();
	expect(await poller.poll()).toEqual([]);
});

test.each([
	[{ anchor: 'tea', status: 'live' }, 'anchor, status'],
	[{}, 'no fields'],
])(
	'leaves out an exchange without an ID, and one log line lists its fields: %j',
	async (entry, expectedText) => {
		const exchanges: IDataObject[] = [{ id: 'x' }];
		const poller = await setUpWithResponse(
			({ url = '' }) => ({ exchanges: url.includes('status=') ? [] : [...exchanges, entry] }),
			transitions,
		);
		await poller.start();
		exchanges.push({ id: 'new', status: 'pending' });
		await clock.wait(minute);
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:new']);
		expect(poller.warnings.filter((text) => text.includes('without a usable ID'))).toEqual([
			expect.stringContaining(`an object with ${expectedText}`),
		]);
	},
);

test.each([
	['"status": "under_review"', { status: 'under_review' }],
	['no "status" that the node can read', { status: null }],
])('logs an undocumented status only once: %s', async (expectedText, entry) => {
	const poller = await setUpWithResponse(() => [{ id: 'x', ...entry }], onlyOffers);
	await poller.start();
	await poller.poll();
	await poller.poll();
	expect(poller.warnings).toEqual([expect.stringContaining(expectedText)]);
});

describe('an exchange with a status that is not documented', () => {
	type Fields = Record<string, string>;

	/** Polls an account with one exchange, which has these fields at each later poll. */
	async function collectEvents(...polls: Fields[]): Promise<string[][]> {
		let records: Fields[] = [];
		const poller = await setUpWithResponse(
			({ url = '' }) => (url.includes('status=') ? [] : records.map((it) => ({ id: 'x', ...it }))),
			transitions,
		);
		const found: string[][] = [];
		await poller.start();
		for (const fields of polls) {
			records = [fields];
			await clock.wait(minute);
			found.push(getEventNames(await poller.poll()));
		}
		return found;
	}

	test('is not confused with one whose status is missing', async () => {
		const accepted_at = '2026-07-01T12:00:00Z';
		const events = [['exchange.requested'], ['exchange.accepted']];
		expect(await collectEvents({}, { accepted_at })).toEqual(events);
		expect(await collectEvents({ status: ' ' })).toEqual(events.slice(0, 1));
	});
});

test.each([
	['exchanges', 'exchange.requested', maxTrackedExchanges, 'up to 10,000'],
	['alerts', 'watchdog.alert', maxTrackedAlerts, 'up to 20,000'],
])('fails on more %s than it can watch, and loses nothing', async (...row) => {
	const [what, event, maxCount, figure] = row;
	let count = 2;
	const poller = await setUpWithResponse(
		({ url = '' }) =>
			url.includes('exchanges') && event === 'watchdog.alert'
				? []
				: Array.from({ length: count }, (_, number) => ({ id: `x${number}`, status: 'pending' })),
		{ events: [event], options: { includeRecord: true } },
	);
	await poller.start();
	count = maxCount + 1;
	await expect(poller.poll()).rejects.toMatchObject({
		message: errorMessages.tooManyRecords(what),
		description: expect.stringContaining(figure) as unknown,
	});
	count = 3;
	expect((await poller.poll()).map(({ record }) => record)).toEqual([
		{ id: 'x2', status: 'pending' },
	]);
	count = maxCount;
	expect(await poller.poll()).toHaveLength(maxCount - 3);
});
