/** How the account is read: what is understood, what is only logged, and whether it is the same one as before. */
import type { IncomingMessage } from 'node:http';

import { describe, expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { beginWith, keys, names, onlyOffers, started } from './begin.mts';
import { Poller } from './poller.mts';

const clock = useVirtualTime();

it('an exchange without an id is said, with what it has', async () => {
	for (const [entry, said] of [
		[{ anchor: 'tea', status: 'live' }, 'anchor, status'],
		[{}, 'no fields'],
	] as const) {
		const poller = await beginWith(() => ({ exchanges: [{ id: 'x' }, entry] }));
		await expect(poller.start()).rejects.toThrow(
			`The answer of the service could not be understood. Expected exchanges with an "id", received an object with ${said}`,
		);
	}
});

it('a status that nobody documented is logged once', async () => {
	const poller = await beginWith(() => [{ id: 'x', status: 'under_review' }], onlyOffers);
	await poller.start();
	await poller.poll();
	await poller.poll();
	expect(poller.warnings).toEqual([expect.stringContaining('"status": "under_review"')]);
});

it('of several entries of one exchange, the furthest counts, in any order', async () => {
	let entries = [{ id: 'x', status: 'pending' }];
	const poller = await beginWith(() => entries, { events: ['exchange.accepted'] });
	await poller.start();
	entries = [
		{ id: 'x', status: 'accepted' },
		{ id: 'x', status: 'pending' },
	];
	expect(names(await poller.poll())).toEqual(['exchange.accepted']);
	entries.reverse();
	for (let poll = 0; poll < 3; poll++) expect(await poller.poll()).toEqual([]);
});

it('a list that goes on in a way that cannot be followed is written to the log, a whole one is not', async () => {
	let more = true;
	const poller = await beginWith(
		() => ({ exchanges: [{ id: 'x', status: 'pending' }], has_more: more }),
		onlyOffers,
	);
	await poller.start();
	expect(poller.warnings).toEqual([
		expect.stringContaining('the service says that there are more exchanges than it lists'),
	]);
	more = false;
	await poller.poll();
	expect(poller.warnings).toHaveLength(1);
});

describe('an account', () => {
	it.each([true, false])(
		'is the same with a new API key if it lists the same (redeliver: %s)',
		async (redeliver) => {
			const asked = new Set<string | undefined>();
			let shown = ['x'];
			const list = ({ headers, url }: IncomingMessage) => {
				asked.add(headers.authorization);
				return url?.includes('watchdog') ? [] : shown.map((id) => ({ id, status: 'pending' }));
			};
			const poller = await beginWith(list, { options: { redeliver } });
			const useKey = (apiKey: string) => {
				poller.credential = { ...poller.credential, apiKey };
			};
			await poller.start();
			useKey('another');
			shown = ['x', 'y'];
			expect(keys(await poller.poll())).toEqual(['exchange.requested:y']);
			expect(asked).toEqual(new Set(['Bearer key', 'Bearer another']));
			const before = poller.executions.length;
			useKey('third');
			shown = ['a', 'b', 'c', 'd'];
			expect(await poller.poll()).toEqual([]);
			// Of another account, so it was saved at once.
			expect(poller.executions.slice(before)).toEqual([[]]);
		},
	);

	it('at another address is another one, even if it has the same key and lists the same', async () => {
		let shown = ['x'];
		const list = () => shown.map((id) => ({ id, status: 'pending' }));
		const [poller, other] = [await beginWith(list, onlyOffers), await beginWith(list, onlyOffers)];
		await poller.start();
		poller.credential = other.credential;
		shown = ['x', 'y'];
		expect(await poller.poll()).toEqual([]);
	});
});

it('what is selected is read anew at first, whatever another trigger has just read: nothing from before comes later', async () => {
	const { sandbox, poller } = await started();
	sandbox.requestOffer({ id: 'x' });
	const other = new Poller(poller.credential, onlyOffers);
	expect(await other.start()).toEqual([]);
	sandbox.alert();
	other.parameters = { ...other.parameters, events: ['exchange.requested', 'watchdog.alert'] };
	expect(await other.start('update')).toEqual([]);
	await clock.wait(60_000);
	expect(await other.poll()).toEqual([]);
});
