/** What n8n does to a polling trigger, and how it lives with that. */
import type { IncomingMessage } from 'node:http';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, keys, names, started } from './begin.mts';
import { Poller } from './poller.mts';

const clock = useVirtualTime();

const onlyOffers = { events: ['exchange.requested'] };
const away = { kind: 'not-json', path: '/api', times: 100 } as const;

describe('the first poll', () => {
	it.each(['init', 'leadershipChange'] as const)(
		'after n8n has started (%s) never fails; the following ones do, until the service is back',
		async (mode) => {
			const { sandbox, poller } = await begin();
			sandbox.addFault(away);
			expect(await poller.start(mode)).toEqual([]);
			expect(poller.warnings).toEqual([
				expect.stringMatching(
					/^Backlink Exchange Polling Trigger: no poll has succeeded since .+Z: .+ \(workflow .+, node "Poll"\)$/,
				),
			]);
			await expect(poller.poll()).rejects.toThrow('could not be understood');
			sandbox.clearFaults();
			expect(await poller.poll()).toEqual([]);
			sandbox.requestOffer({ id: 'x' });
			expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
		},
	);

	it.each(['init', 'leadershipChange'] as const)(
		'does not fail either (%s) because of a setting or the credential',
		async (mode) => {
			const { poller } = await begin({}, { options: { redeliver: 'perhaps' } });
			expect(await poller.start(mode)).toEqual([]);
			await expect(poller.poll()).rejects.toThrow('"Redeliver"');
			const { poller: second } = await begin();
			second.credential = { baseUrl: 'nowhere', apiKey: 'key' };
			expect(await second.start(mode)).toEqual([]);
			await expect(second.poll()).rejects.toThrow('base URL');
		},
	);

	it.each(['activate', 'update'] as const)(
		'of a publication (%s) says what is wrong and how to fix it, in the message, which is all that n8n shows',
		async (mode) => {
			const { sandbox, poller } = await begin();
			sandbox.addFault({ kind: 'error-before-commit', status: 401 });
			await expect(poller.start(mode)).rejects.toThrow(
				/^The service does not accept the API key\. .*Copy the key again/,
			);
		},
	);

	it('that failed is followed by one that is saved by an execution without items', async () => {
		const { sandbox, poller } = await begin();
		sandbox.addFault(away);
		await poller.start('init');
		sandbox.clearFaults();
		await poller.poll();
		expect(poller.executions).toEqual([[]]);
		sandbox.requestOffer({ id: 'x' });
		// n8n was off before the next poll.
		expect(keys(await poller.start('init'))).toEqual(['exchange.requested:x']);
	});
});

describe('durable poll cursors', () => {
	const durable = { hasDurableCursors: true };
	const beginDurable = async (parameters = {}) => {
		const { sandbox } = await begin();
		const credential = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
		return { sandbox, poller: new Poller(credential, parameters, durable) };
	};

	it('what has succeeded is written down without an execution, and so is the first poll', async () => {
		const { sandbox, poller } = await beginDurable();
		await poller.start();
		expect(poller.executions).toEqual([]);
		for (const id of ['a', 'b']) {
			sandbox.requestOffer({ id });
			await poller.poll();
			poller.forgetProcess();
		}
		for (let poll = 0; poll < 3; poll++) await poller.poll();
		expect(poller.executions.map(({ length }) => length)).toEqual([1, 1]);
	});

	it('may be switched on later: the trigger goes on', async () => {
		const { sandbox, poller } = await started();
		sandbox.requestOffer({ id: 'a' });
		poller.ending = () => 'error';
		await poller.poll();
		poller.ending = () => 'success';
		poller.hasDurableCursors = true;
		poller.forgetProcess();
		sandbox.requestOffer({ id: 'b' });
		await clock.wait(60_000);
		const items = [...(await poller.start('init')), ...(await poller.poll())];
		expect(keys(items).sort()).toEqual(['exchange.requested:a', 'exchange.requested:b']);
		for (let poll = 0; poll < 3; poll++) expect(await poller.poll()).toEqual([]);
	});
});

it("n8n's scheduler without durable cursors: what two polls have to agree on is found, too", async () => {
	let status = 'broken';
	let alerts = ['gone', 'other'].map((type) => ({ exchange_id: 'x', type }));
	const { credential } = await beginWith(({ url }) =>
		url?.includes('watchdog') ? alerts : [{ id: 'x', status, published_at: 1782907200 }],
	);
	const poller = new Poller(credential, {}, { isScheduled: true });
	await poller.start();
	status = 'live';
	const [gone] = alerts.splice(0, 1);
	for (let poll = 0; poll < 3; poll++) await poller.poll();
	if (gone !== undefined) alerts = [gone, ...alerts];
	await poller.poll();
	expect(keys(poller.executions.flat())).toEqual([
		'exchange.published:x:1782907200#2',
		expect.stringContaining('watchdog.alert:x'),
	]);
});

it.each([
	['the one', [0, 1]],
	['the other', [1, 0]],
])(
	'of two triggers in a workflow that were published one after the other, none takes the state of the other back (%s saves first)',
	async (_, order) => {
		const { sandbox, poller } = await started({}, onlyOffers);
		sandbox.requestOffer({ id: 'a' });
		await poller.poll();
		const other = new Poller(poller.credential, onlyOffers, { beside: poller });
		await other.start();
		sandbox.requestOffer({ id: 'b' });
		await clock.wait(60_000);
		for (const index of order) await [poller, other][index]?.poll();
		for (const each of [poller, other]) each.forgetProcess();
		// While n8n is off.
		sandbox.requestOffer({ id: 'c' });
		for (const each of [poller, other]) {
			expect(keys(await each.start('init'))).toEqual(['exchange.requested:c']);
		}
	},
);

it('of a copy of a workflow, what has succeeded in the other one has not succeeded yet', async () => {
	const { sandbox, poller } = await started({}, onlyOffers);
	sandbox.requestOffer({ id: 'x' });
	poller.ending = () => 'error';
	await poller.poll();
	poller.ending = () => 'success';
	const copy = new Poller(poller.credential, onlyOffers, { copyOf: poller });
	await clock.wait(60_000);
	for (const each of [poller, copy]) {
		expect(keys(await each.start())).toEqual(['exchange.requested:x']);
	}
});

it('what has succeeded is saved although n8n is slow to save what was before', async () => {
	const { sandbox, poller } = await started({}, onlyOffers);
	poller.saveTakes = 1000;
	poller.ending = ([item]) => (item?.eventKey === 'exchange.requested:b' ? 'silent' : 'success');
	for (const id of ['a', 'b']) sandbox.requestOffer({ id });
	await poller.poll();
	poller.forgetProcess();
	await clock.wait(60_000);
	expect(keys(await poller.start('init'))).toEqual(['exchange.requested:b']);
});

describe('the state', () => {
	it.each(['', 'null', '[null, 5]', '{"attempts":1}', '[{"item":{}}]', 'no JSON'])(
		'that somebody has changed to %j holds no event, and those to come are none the worse for it',
		async (ledger) => {
			const { sandbox, poller } = await begin({}, onlyOffers);
			poller.adjust = (context) => {
				context.getWorkflowStaticData('global')['backlinkExchange the node'] ??= { ledger };
			};
			await poller.start();
			sandbox.requestOffer({ id: 'x' });
			expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
		},
	);

	it.each([true, false])('goes on with a new API key of the account (%s)', async (redeliver) => {
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
	});
});

it('what the next poll finds anyway is not saved by an execution', async () => {
	let status = 'live';
	const poller = await beginWith(() => [{ id: 'x', status }], onlyOffers);
	await poller.start();
	await poller.poll();
	status = 'accepted';
	await poller.poll();
	expect(poller.executions).toEqual([]);
});

const phase = fc.record({
	exchange: fc.oneof(
		fc.record({ status: fc.constantFrom('pending', 'accepted') }),
		fc.record({
			status: fc.constantFrom('live', 'broken'),
			published_at: fc.constant(1782907200),
		}),
	),
	isAlertListed: fc.boolean(),
	balance: fc.constantFrom(40, 60),
	/** Whether n8n starts again before the first of the two polls that show this. */
	restarts: fc.boolean(),
});

it('that n8n starts again changes nothing, while links keep their time', async () => {
	let [shown] = fc.sample(phase, 1);
	const { credential } = await beginWith(({ url = '' }) => {
		if (url.includes('credits')) return { balance: shown?.balance, lifetime_spent: 5 };
		const alerts = shown?.isAlertListed === true ? [{ exchange_id: 'x', type: 'gone' }] : [];
		return url.includes('watchdog') ? alerts : [{ id: 'x', ...shown?.exchange }];
	});
	const plan = fc.record({
		event: fc.constantFrom('exchange.broken', 'watchdog.alert', 'credits.low'),
		phases: fc.array(phase, { minLength: 4, maxLength: 8 }),
	});
	await fc.assert(
		fc.asyncProperty(plan, async ({ event, phases }) => {
			const parameters = { events: [event], creditsLowBelow: 50 };
			const steady = new Poller(credential, parameters);
			const restarted = new Poller(credential, parameters);
			[shown] = phases;
			await steady.start();
			await restarted.start();
			for (shown of phases) {
				const expected: string[] = [];
				const given: string[] = [];
				for (const restarts of [shown.restarts, false]) {
					// Until nothing is shared any more that was read before.
					await clock.wait(15 * 60_000);
					expected.push(...keys(await steady.poll()));
					given.push(...keys(await (restarts ? restarted.start('init') : restarted.poll())));
				}
				expect(given).toEqual(expected);
			}
		}),
		{ numRuns: 60 },
	);
}, 300_000);

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

describe('credits.low', () => {
	const watching = { events: ['credits.low'], creditsLowBelow: 50 };
	const pollLater = async (poller: Poller) => {
		await clock.wait(15 * 60_000);
		return await poller.poll();
	};

	it('starts the workflow once per fall, with a request of its own only if it is selected', async () => {
		const { sandbox, poller } = await started({ credits: 80 }, watching);
		sandbox.setCredits(12);
		expect(await pollLater(poller)).toEqual([
			{
				event: 'credits.low',
				eventKey: expect.stringMatching(/^credits\.low:\d+$/) as unknown,
				message: 'Credits are low: 12 left, below 50',
				data: expect.objectContaining({ balance: 12 }) as unknown,
				source: 'poll',
				attempt: 1,
			},
		]);
		expect(await poller.poll()).toEqual([]);
		sandbox.setCredits(80);
		expect(await pollLater(poller)).toEqual([]);
		sandbox.setCredits(49);
		expect(names(await pollLater(poller))).toEqual(['credits.low']);
		const paths = new Set(sandbox.books.requests().map(({ path }) => path));
		expect([...paths]).toEqual(['/api/credits/balance']);
		const { sandbox: other, poller: without } = await begin();
		await without.start();
		expect(other.books.requests().map(({ path }) => path)).not.toContain('/api/credits/balance');
	});

	it('a balance that cannot be read is an error, and no recovery', async () => {
		const { sandbox, poller } = await started({ credits: 80 }, watching);
		sandbox.setCredits(12);
		await pollLater(poller);
		sandbox.addFault({ kind: 'not-json', path: '/api/credits' });
		await expect(pollLater(poller)).rejects.toThrow();
		expect(await pollLater(poller)).toEqual([]);
	});

	it('is seen in the editor if the balance is low', async () => {
		const { sandbox, poller } = await begin({ credits: 80 }, watching);
		expect((await poller.test()).map(({ message }) => message)).toEqual([
			'There is no event to show yet. What would make one: Credits Low (the balance, 80, is not below 50). A published workflow starts with the next event.',
		]);
		sandbox.setCredits(12);
		expect(names(await poller.test())).toEqual(['credits.low']);
	});
});

it('an alert carries the record of its exchange, for which the list is read when there is a new one, and not before', async () => {
	for (const parameters of [{}, { events: ['watchdog.alert'], options: { redeliver: false } }]) {
		const { sandbox, poller } = await begin({}, parameters);
		sandbox.requestOffer({ id: 'x' });
		await poller.start();
		sandbox.alert({ exchangeId: 'x' });
		const [item] = await poller.poll();
		expect(item).toHaveProperty('exchange.id', 'x');
		expect(item?.message).toContain('anchor "a good read", exchange "x"');
	}
	const filters = { severities: ['critical'] };
	const { sandbox, poller } = await begin({}, { events: ['watchdog.alert'], filters });
	const listsRead = () =>
		sandbox.books.requests().filter(({ path }) => path.endsWith('/exchanges')).length;
	await poller.start();
	sandbox.alert({ exchangeId: 'x', severity: 'low' });
	await poller.poll();
	expect(listsRead()).toBe(0);
	sandbox.addFault({ kind: 'error-before-commit', status: 401, path: '/api/exchanges' });
	sandbox.alert({ exchangeId: 'x', severity: 'critical' });
	// It comes without the record, rather than late.
	expect(names(await poller.poll())).toEqual(['watchdog.alert']);
	expect(listsRead()).toBe(1);
	await poller.poll();
	expect(listsRead()).toBe(1);
});

describe('saving', () => {
	it('waits for nothing: n8n stops although an execution waits for its turn, or for an end that it never reports', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		for (const id of ['done', 'silent', 'waiting']) sandbox.requestOffer({ id });
		const isOf = (name: string, [item]: IDataObject[]) =>
			item?.eventKey === `exchange.requested:${name}`;
		poller.limit = 1;
		poller.takes = (items) => (isOf('done', items) ? 1000 : 5000);
		poller.ending = (items) => (isOf('silent', items) ? 'silent' : 'success');
		await poller.poll();
		await poller.stop();
		await poller.start('init');
		await clock.wait(120_000);
		await poller.poll();
		const executions = poller.executions.filter((items) => isOf('done', items));
		expect(executions).toHaveLength(1);
	});

	it('needs no execution of its own for an end that starts another', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		for (let offer = 0; offer < 60; offer++) sandbox.requestOffer({ id: `x${offer}` });
		poller.takes = ([item]) => (item === undefined ? 0 : 1000);
		await poller.poll();
		await clock.wait(30_000);
		// One for each end that starts no other.
		expect(poller.executions.filter(({ length }) => length === 0)).toHaveLength(5);
	});

	it.each([
		['of the first poll after a start of n8n', 'init' as const],
		['of a publication', 'activate' as const],
	])('what the executions %s have done is done, without another poll', async (_, mode) => {
		const { sandbox, poller } = await begin({}, { ...onlyOffers, options: { emitExisting: true } });
		sandbox.requestOffer({ id: 'x' });
		poller.takes = () => 20_000;
		await poller.start(mode);
		await poller.stop();
		for (let restart = 0; restart < 3; restart++) {
			await poller.start('init');
			await clock.wait(600_000);
			await poller.stop();
		}
		expect(keys(poller.executions.flat())).toEqual(['exchange.requested:x']);
	});

	it.each([false, true])(
		'goes on for an execution that ends after another publication or poll (scheduler: %s)',
		async (isScheduled) => {
			const { sandbox, poller } = await begin({}, onlyOffers, { isScheduled });
			await poller.start();
			sandbox.requestOffer({ id: 'x' });
			poller.takes = () => 20_000;
			await poller.poll();
			await (isScheduled ? poller.poll() : poller.start('update'));
			await poller.stop();
			await poller.start('init');
			await clock.wait(120_000);
			await poller.poll();
			expect(keys(poller.executions.flat())).toEqual(['exchange.requested:x']);
		},
	);

	it('would run the workflow with an empty item where n8n is to output always, so that is refused', async () => {
		const { poller } = await begin({}, onlyOffers);
		poller.adjust = (context) => {
			const getNode = context.getNode.bind(context);
			const value = () => ({ ...getNode(), alwaysOutputData: true });
			Object.defineProperty(context, 'getNode', { value });
		};
		await expect(poller.start()).rejects.toThrow(
			/^Always Output Data has to be off for this node\./,
		);
		expect(await poller.start('init')).toEqual([]);
		expect(poller.executions).toEqual([]);
	});
});

describe('an account that is not recognized', () => {
	const events = ['credits.low', 'exchange.requested'];
	const watching = { events, creditsLowBelow: 50 };

	it('is a line of the log; a balance that is low is told all the same, and once', async () => {
		const shown = { ids: ['a', 'b'], balance: 80 };
		const poller = await beginWith(({ url = '' }) => {
			if (url.includes('credits')) return { balance: shown.balance, lifetime_spent: 5 };
			return shown.ids.map((id) => ({ id, status: 'pending' }));
		}, watching);
		await poller.start();
		poller.credential = { ...poller.credential, apiKey: 'another' };
		Object.assign(shown, { ids: ['c', 'd'], balance: 20 });
		expect(names(await poller.poll())).toEqual(['credits.low']);
		const warnings = poller.warnings.filter((line) =>
			line.includes('does not recognize the account'),
		);
		expect(warnings).toHaveLength(1);
		poller.credential = { ...poller.credential, apiKey: 'third' };
		shown.ids = ['e', 'f'];
		expect(await poller.poll()).toEqual([]);
	});

	it('a balance that is low from the beginning is told at once', async () => {
		const { poller } = await begin({ credits: 10 }, watching);
		expect(names(await poller.start())).toEqual(['credits.low']);
		expect(await poller.poll()).toEqual([]);
	});
});
