import { describe, expect, test } from 'vitest';

import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { Poller } from './poller.mts';
import {
	getEventKeys,
	getEventNames,
	minute,
	onlyOffers,
	setUp,
	setUpAndPoll,
	setUpWithResponse,
} from './setup.mts';

const clock = useVirtualTime();

test.each([
	['the first', [0, 1]],
	['the second', [1, 0]],
])(
	'two triggers in a workflow keep their states when one is republished (%s saves first)',
	async (_, order) => {
		const { sandbox, poller } = await setUpAndPoll({}, onlyOffers);
		const other = new Poller(poller.credential, onlyOffers, poller);
		await other.start();
		const both = [poller, other];
		for (const id of ['a', 'b']) {
			sandbox.requestOffer({ id });
			await clock.wait(minute);
			for (const index of order) await both[index]?.poll();
			// n8n gives it a copy of the static data.
			await both[order[0] ?? 0]?.start('update');
		}
		poller.kill();
		sandbox.requestOffer({ id: 'c' });
		for (const each of both) {
			expect(getEventKeys(await each.start('init'))).toEqual(['exchange.requested:c']);
		}
	},
);

test('starts over when the stored state is corrupt', async () => {
	const { sandbox, poller } = await setUpAndPoll({}, onlyOffers);
	sandbox.requestOffer({ id: 'a' });
	await poller.poll();
	poller.kill();
	poller.corruptState('no JSON');
	expect(await poller.start('init')).toEqual([]);
	sandbox.requestOffer({ id: 'b' });
	expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:b']);
});

describe('a different account', () => {
	const unrecognized = expect.stringContaining('seems to belong to another account') as unknown;

	/**
	 * Starts a service with several accounts at one URL.
	 *
	 * @param shown the exchanges and sites of each key: `first` is the key that the service starts
	 * with
	 */
	async function beginWithKeys(shown: Record<string, { ids: string[]; sites: string[] }>) {
		const { baseUrl, apiKey } = await startStubServer((request, response) => {
			const [, name = 'first'] = request.headers.authorization?.split('/') ?? [];
			const { ids = [], sites = [] } = shown[name] ?? {};
			const { url = '' } = request;
			if (url.endsWith('/sites')) {
				json({ sites: sites.map((site) => ({ url: site })) })(request, response);
			} else if (url.includes('watchdog')) json([])(request, response);
			else json(ids.map((id) => ({ id, status: 'pending' })))(request, response);
		});
		const poller = new Poller({ baseUrl, apiKey });
		const useKey = (name: string) => {
			poller.credential = { ...poller.credential, apiKey: `${apiKey}/${name}` };
		};
		await poller.start();
		return { poller, useKey };
	}

	const [tea, cups, pots] = [['tea.example'], ['cups.example'], ['pots.example']];

	test('starts over silently with one log line, for a new credential or a new key', async () => {
		const shown = {
			first: { ids: ['x'], sites: tea },
			another: { ids: ['a', 'b'], sites: cups },
			third: { ids: ['c'], sites: pots },
		};
		const { poller, useKey } = await beginWithKeys(shown);
		useKey('another');
		expect(await poller.poll()).toEqual([]);
		await clock.wait(2 * minute);
		useKey('third');
		poller.credentialId = '2';
		expect(await poller.start('update')).toEqual([]);
		expect(poller.warnings).toEqual([unrecognized, unrecognized]);
		shown.third.ids.push('d');
		await clock.wait(minute);
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:d']);
		expect(poller.executions).toHaveLength(1);
	});

	test('is one without a known site, even if both list the same exchange', async () => {
		const shown = { first: { ids: ['x'], sites: tea }, other: { ids: ['x', 'y'], sites: cups } };
		const { poller, useKey } = await beginWithKeys(shown);
		useKey('other');
		expect(await poller.poll()).toEqual([]);
		expect(poller.warnings).toEqual([unrecognized]);
	});

	test.each([
		['a new key', 'renewed', '1'],
		['another credential', 'first', '2'],
		['another credential with a new key', 'renewed', '2'],
	])("isn't assumed for %s while one of its sites is known", async (_, name, credentialId) => {
		const shown = { first: { ids: ['x'], sites: [...tea, ...cups] } };
		const { poller, useKey } = await beginWithKeys(shown);
		await clock.wait(48 * 60 * minute);
		const renewed = { ids: ['x', 'y'], sites: [...cups, ...pots] };
		Object.assign(shown, { first: renewed, renewed });
		if (name !== 'first') useKey(name);
		poller.credentialId = credentialId;
		expect(getEventKeys(await poller.start('update'))).toEqual(['exchange.requested:y']);
		expect(poller.warnings).toEqual([]);
	});

	test('is decided by the key while the account has no sites', async () => {
		const account = { ids: ['x'], sites: [] as string[] };
		const { poller, useKey } = await beginWithKeys({ first: account, other: account });
		await clock.wait(minute);
		account.ids.push('y');
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:y']);
		useKey('other');
		account.ids.push('z');
		expect(await poller.start('update')).toEqual([]);
		expect(poller.warnings).toEqual([unrecognized]);
	});

	test('adds the exchange to the first alert after a change of the key', async () => {
		const { sandbox, poller } = await setUp({}, { events: ['watchdog.alert'] });
		sandbox.addSite({ url: 'https://mine.example', niche: 'tea' });
		await poller.start();
		poller.credential = { ...poller.credential, apiKey: sandbox.createApiKey() };
		const { id } = sandbox.requestOffer({ anchor: 'green kettles' });
		sandbox.alert({ exchangeId: id });
		await clock.wait(minute);
		const [item] = await poller.poll();
		expect(item?.message as string).toContain('green kettles');
	});

	test('emits Low Credits once if its credits are low', async () => {
		const parameters = { events: ['credits.low'], lowCreditThreshold: 50 };
		const poller = await setUpWithResponse(() => ({ balance: 20, lifetime_spent: 5 }), parameters);
		expect(await poller.start()).toHaveLength(1);
		poller.credentialId = '2';
		expect(await poller.start('update')).toEqual([]);
	});
});

test("starts newly selected events silently, with a list that is newer than another trigger's", async () => {
	const { sandbox, poller } = await setUpAndPoll();
	const other = new Poller(poller.credential, onlyOffers);
	sandbox.requestOffer();
	await other.start();
	sandbox.alert();
	other.parameters = { ...other.parameters, events: ['exchange.requested', 'watchdog.alert'] };
	expect(await other.start('update')).toEqual([]);
	await clock.wait(minute);
	expect(await other.poll()).toEqual([]);
	sandbox.alert();
	await clock.wait(minute);
	expect(getEventNames(await other.poll())).toEqual(['watchdog.alert']);
});
