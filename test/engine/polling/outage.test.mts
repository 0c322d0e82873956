/** How often the service is asked during an outage: no more often than on a good day, however many triggers there are. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, it, test } from 'vitest';

import { readWorkflow, workflowNames } from '../../../playground/n8n/workflowFiles.mts';
import type { Fault } from '../../../sandbox/faults.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { begin, keys, started } from './begin.mts';
import { Poller, pollingType } from './poller.mts';

const clock = useVirtualTime();

const minute = 60_000;
/** Attempts of a poll that meets trouble for the first time. */
const attempts = 4;

/** The polling triggers of all ready-made workflows that poll each minute. */
function everyMinute({ baseUrl, apiKey }: Sandbox): Poller[] {
	const nodes = workflowNames.flatMap((name) => readWorkflow(name).nodes);
	const polling = nodes.filter(
		({ type, parameters }) =>
			type === pollingType && JSON.stringify(parameters.pollTimes).includes('everyMinute'),
	);
	return polling.map(
		({ parameters }) => new Poller({ baseUrl, apiKey }, parameters as INodeParameters),
	);
}

/** Lets all of them poll once a minute, each at a second of its own, as n8n does. */
async function pollEach(pollers: Poller[], minutes: number): Promise<void> {
	for (let passed = 0; passed < minutes; passed++) {
		const begunAt = clock.now();
		const until = async (second: number) => {
			await clock.wait(Math.max(1, begunAt + second * 1000 - clock.now()));
		};
		for (const [index, poller] of pollers.entries()) {
			await until(1 + 4 * index);
			await poller.poll().catch((error: unknown) => poller.errors.push(error as Error));
		}
		await until(60);
	}
}

describe.each([1, 2])('all ready-made workflows, imported %i times', (times) => {
	it.each([
		['error-before-commit', 503],
		['error-before-commit', 401],
		['cut-before-commit', undefined],
		['not-json', undefined],
	] as const)(
		'ask for each list and the balance once a minute during an outage: %s %s',
		async (kind, status) => {
			const { sandbox } = await testService({ credits: 1000 });
			const pollers = Array.from({ length: times }, () => everyMinute(sandbox)).flat();
			expect(pollers).toHaveLength(6 * times);
			for (const poller of pollers) await poller.start();
			await pollEach(pollers, 2);
			// The balance that was read before is good enough for a quarter of an hour, so Low credits notices trouble only then.
			const minutes = 140;
			const fault: Fault = { kind, status, path: '/api', times: 100_000 };
			sandbox.addFault(fault);
			const before = sandbox.books.requests().length;
			await pollEach(pollers, minutes);
			const requests = sandbox.books.requests().length - before;
			// Each trigger makes sure that there is trouble; from then on, all of them ask together.
			expect(requests).toBeLessThanOrEqual(pollers.length * attempts + 3 * minutes);

			for (const { errors } of pollers) expect(errors).toHaveLength(3);
			const { id } = sandbox.requestOffer();
			sandbox.clearFaults();
			await pollEach(pollers, 2);
			const told = pollers.flatMap(({ executions }) => keys(executions.flat()));
			// Offer approval tells of it; Webhook and polling gives the webhook a head start.
			expect(told).toEqual(Array.from({ length: times }, () => `exchange.requested:${id}`));
		},
	);
});

test('a poll asks several times before there is trouble, and once while there is', async () => {
	const { sandbox, poller } = await started({}, { events: ['exchange.requested'] });
	const asked = async (failures: number): Promise<number> => {
		sandbox.clearFaults();
		if (failures > 0) {
			sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: failures });
		}
		await clock.wait(minute);
		const before = sandbox.books.requests().length;
		await poller.poll().catch((error: unknown) => poller.errors.push(error as Error));
		return sandbox.books.requests().length - before;
	};
	expect(await asked(attempts - 1)).toBe(attempts);
	expect(poller.errors).toEqual([]);
	expect(await asked(attempts)).toBe(attempts);
	expect(poller.errors).toHaveLength(1);
	expect(await asked(1)).toBe(1);
	expect(await asked(0)).toBe(1);
	expect(await asked(attempts - 1)).toBe(attempts);
	expect(poller.errors).toHaveLength(1);
});

test('a trigger that polls once a day asks several times each day', async () => {
	const { sandbox, poller } = await begin({}, { events: ['watchdog.alert'], output: 'digest' });
	await poller.start();
	const day = 24 * 60 * minute;
	sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: 2 * attempts - 1 });
	await clock.wait(day);
	await expect(poller.poll()).rejects.toThrow('not available');
	sandbox.requestOffer({ id: 'x' });
	sandbox.alert({ exchangeId: 'x' });
	await clock.wait(day);
	expect(await poller.poll()).toMatchObject([{ count: 1 }]);
});

it('Fetch Test Event makes as many attempts as ever, whatever the polls have met', async () => {
	const { sandbox, poller } = await started();
	sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: 1000 });
	await expect(poller.poll()).rejects.toThrow('not available');
	await clock.wait(minute);
	const before = sandbox.books.requests().length;
	await expect(poller.test()).rejects.toThrow('not available');
	expect(sandbox.books.requests().length - before).toBe(attempts);
});
