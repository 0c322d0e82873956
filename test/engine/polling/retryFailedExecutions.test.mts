/**
 * Retry Failed Executions: each event starts its own execution, which starts again when it fails,
 * for a day.
 */
import { describe, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { useVirtualTime } from '../virtualTime.mts';
import { type ExecutionStatus, Poller } from './poller.mts';
import { getEventKeys, minute, pollFor, setUp, setUpAndPoll, withRetries } from './setup.mts';

const clock = useVirtualTime();
const hour = 60;
const day = 24 * hour;

const attempts = ({ executions }: Poller) => executions.flat().map(({ attempt }) => attempt);
const withoutItems = ({ executions }: Poller) => executions.filter(({ length }) => length === 0);

test('is off by default, and leaves failed executions to n8n', async () => {
	const { sandbox, poller } = await setUpAndPoll();
	sandbox.requestOffer({ id: 'x' });
	poller.executionStatus = () => 'error';
	expect(await pollFor(poller, 30)).toEqual([0]);
	expect(poller.executions).toHaveLength(1);
});

describe('an event', () => {
	test('starts its own execution, and only one if that succeeds', async () => {
		const { sandbox, poller } = await setUpAndPoll({}, withRetries);
		for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
		expect(await pollFor(poller, 5)).toEqual([0]);
		expect(poller.executions.map(getEventKeys)).toEqual(
			['a', 'b', 'c'].map((id) => [`exchange.requested:${id}`]),
		);
	});

	test.each<[failed: ExecutionStatus, last: ExecutionStatus]>([
		['error', 'success'],
		['crashed', 'waiting'],
		['not started', 'success'],
	])(
		'is retried after 1, 5 and 15 minutes if executions end with %s, until one ends with %s',
		async (failed, last) => {
			const { sandbox, poller } = await setUpAndPoll({}, withRetries);
			sandbox.requestOffer({ id: 'x' });
			poller.executionStatus = ([item]) =>
				item === undefined || item.attempt === 4 ? last : failed;
			expect(await pollFor(poller, 120)).toEqual([0, 1, 6, 21]);
			expect(attempts(poller)).toEqual([1, 2, 3, 4]);
			const [first, ...others] = poller.executions.flat().map((item) => ({ ...item, attempt: 0 }));
			for (const other of others) expect(other).toEqual(first);
		},
	);

	test('is given up after 24 h with one failed execution that contains it', async () => {
		const { sandbox, poller } = await setUpAndPoll({}, withRetries);
		sandbox.requestOffer({ id: 'x' });
		poller.executionStatus = () => 'error';
		const startedAt = await pollFor(poller, 1.5 * day, 5);
		expect(startedAt).toEqual([0, 5, 10, 25, 85, 265, 625, 985, 1345]);
		expect(poller.errors.map(({ message }) => message)).toEqual([
			errorMessages.retriesEnded('exchange.requested:x'),
		]);
		expect(poller.errors[0]).toHaveProperty(
			'description',
			expect.stringContaining('9 executions for it failed within a day'),
		);
	});

	test('is retried once if the trigger polls once a day', async () => {
		const { sandbox, poller } = await setUpAndPoll({}, withRetries);
		sandbox.requestOffer({ id: 'x' });
		poller.executionStatus = () => 'error';
		expect(await pollFor(poller, 5 * day, day)).toEqual([0, day]);
		expect(poller.errors).toHaveLength(1);
	});

	test('is retried unchanged, also after a restart of n8n and during an outage of the service', async () => {
		const { sandbox, poller } = await setUpAndPoll({}, withRetries);
		sandbox.requestOffer({ id: 'x' });
		poller.executionStatus = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
		await poller.poll();
		poller.kill();
		sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: 1000 });
		await clock.wait(2 * minute);
		expect(await poller.start('init')).toMatchObject([
			{ eventKey: 'exchange.requested:x', exchangeId: 'x', attempt: 2 },
		]);
	});

	test('is retried if its execution fails while n8n stops', async () => {
		const { sandbox, poller } = await setUpAndPoll({}, withRetries);
		sandbox.requestOffer({ id: 'x' });
		poller.executionDurationMs = 20_000;
		poller.executionStatus = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
		await poller.poll();
		await poller.stop();
		await clock.wait(2 * minute);
		expect(await poller.start('init')).toMatchObject([{ attempt: 2 }]);
	});
});

test('saves executions that fail together with one execution without items', async () => {
	const { sandbox, poller } = await setUpAndPoll({}, withRetries);
	for (let offer = 0; offer < 20; offer++) sandbox.requestOffer({ id: `x${offer}` });
	poller.executionStatus = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
	await poller.poll();
	await poller.stop();
	expect(withoutItems(poller)).toHaveLength(1);
	await clock.wait(minute);
	expect(await poller.start('init')).toHaveLength(20);
});

test('starts some of many events at each poll, oldest first, and loses none over a restart', async () => {
	const events = ['exchange.requested', 'exchange.accepted'];
	const { sandbox, poller } = await setUpAndPoll({}, { ...withRetries, events });
	const ids = Array.from({ length: 120 }, (_, offer) => `x${offer}`);
	for (const id of ids) sandbox.requestOffer({ id });
	expect(await poller.poll()).toHaveLength(50);
	for (const id of ids) sandbox.accept(id);
	poller.kill();
	expect(await poller.start('init')).toHaveLength(50);
	await pollFor(poller, 10);
	const found = getEventKeys(poller.executions.flat());
	expect(found.slice(0, 50)).toEqual(ids.slice(0, 50).map((id) => `exchange.requested:${id}`));
	expect(found).toHaveLength(240);
	expect(new Set(found).size).toBe(240);
});

test('retries a digest as a whole', async () => {
	const { sandbox, poller } = await setUpAndPoll(
		{},
		{ ...withRetries, options: { retryFailedExecutions: true, outputFormat: 'digest' } },
	);
	for (const id of ['a', 'b']) sandbox.requestOffer({ id });
	poller.executionStatus = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
	expect(await pollFor(poller, 3)).toEqual([0, 1]);
	const [first, second] = poller.executions.flat();
	expect(first).toMatchObject({ count: 2, title: '2 new offers', attempt: 1 });
	expect(second).toEqual({ ...first, attempt: 2 });
});

test('retries failed events once more after it is turned off', async () => {
	const { sandbox, poller } = await setUpAndPoll({}, withRetries);
	for (const id of ['a', 'b']) sandbox.requestOffer({ id });
	poller.executionStatus = () => 'error';
	await poller.poll();
	poller.parameters = { ...poller.parameters, options: {} };
	await clock.wait(2 * minute);
	await poller.start('update');
	await pollFor(poller, 30);
	expect(poller.executions.filter(({ length }) => length > 0)).toHaveLength(3);
});

test('rejects Always Output Data, with which saving would run the workflow with an empty item', async () => {
	const { poller } = await setUp({}, withRetries);
	poller.alwaysOutputData = true;
	await expect(poller.start()).rejects.toThrow(errorMessages.alwaysOutputData);
});
