/** The event inbox and the polling trigger's option Repeat Events: what comes again and again is worked on once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { alert, finish, handOn, hour, minute, offer } from './inboxEvents.mts';
import { InboxModel } from './inboxModel.mts';

describe('what polling gives out again', () => {
	const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'offer c', 'offer d'), { minLength: 1 });
	const eventOf = (name: string, source: 'webhook' | 'poll') =>
		name.startsWith('offer') ? offer(name, source) : alert(name, source);

	// At which request the execution of each look is killed, and how long after that the next look comes.
	const kills = fc.array(
		fc.record({ step: fc.nat({ max: 30 }), pause: fc.constantFrom(0, 1, 5 * minute) }),
		{ maxLength: 6 },
	);

	it('is handed on however many executions are killed before it is written, and else changes nothing', () => {
		fc.assert(
			fc.property(names, kills, fc.boolean(), (polled, killed, isWebhookFirst) => {
				const model = new InboxModel({ ...handOn, maxTries: 50 });
				if (isWebhookFirst) {
					finish(model.receive(polled.map((name) => eventOf(name, 'webhook'))));
				}
				const givenOutAt = new Date(model.now).toISOString();
				const events = polled.map((name) => ({ ...eventOf(name, 'poll'), givenOutAt }));
				let unmarked = 0;
				for (const { step, pause } of killed) {
					const execution = model.receive(events);
					let last: string | undefined = '';
					for (let done = 0; done < step && last !== undefined; done++) {
						const next = execution.next();
						last = next.done === true ? undefined : next.value;
					}
					if (last === 'handed on') unmarked++;
					model.now += pause;
				}
				finish(model.receive(events));
				const written = model.rows.length;
				finish(model.receive(events));
				expect(model.rows).toHaveLength(written);
				for (let round = 0; round < 12; round++) {
					model.now += 61 * minute;
					finish(model.tick());
				}
				const done = model.handedOn.filter(({ isDone }) => isDone);
				expect(new Set(done.map(({ eventKey }) => eventKey)).size).toBe(polled.length);
				expect(done.length).toBeLessThanOrEqual(polled.length + unmarked);
			}),
			{ numRuns: 500 },
		);
	});

	it('is handed on once by several executions that run at the same time', () => {
		const order = fc.array(fc.nat({ max: 3 }), { maxLength: 120 });
		fc.assert(
			fc.property(names, fc.integer({ min: 2, max: 4 }), order, (polled, count, steps) => {
				const model = new InboxModel({ ...handOn, maxTries: 50 });
				const givenOutAt = new Date(model.now).toISOString();
				const events = polled.map((name) => ({ ...eventOf(name, 'poll'), givenOutAt }));
				const running = Array.from({ length: count }, () => model.receive(events));
				for (const step of steps) running[step]?.next();
				for (const execution of running) finish(execution);
				for (let round = 0; round < 12; round++) {
					model.now += 61 * minute;
					finish(model.tick());
				}
				const done = model.handedOn.map(({ eventKey }) => eventKey);
				expect(done.toSorted()).toEqual(events.map(({ eventKey }) => eventKey).toSorted());
			}),
			{ numRuns: 500 },
		);
	});

	it('is not written at all if it is about an offer that is written down already', () => {
		const model = new InboxModel(handOn);
		finish(model.receive([offer('x')]));
		finish(model.receive([offer('x', 'poll'), offer('y', 'poll'), offer('y')]));
		expect(model.rows.map(({ eventKey, state }) => [eventKey, state])).toEqual([
			['exchange.requested:x', 'done'],
			['exchange.requested:y', 'done'],
			['exchange.requested:y', 'repeated'],
		]);
	});

	it('is the same alert as one that was written since, not as one long before', () => {
		const model = new InboxModel(handOn);
		finish(model.receive([alert('a', 'poll')]));
		model.now += 48 * hour;
		// The execution of the second alert was killed before it was written.
		const givenOutAt = new Date(model.now).toISOString();
		model.now += 5 * minute;
		finish(model.receive([{ ...alert('a', 'poll'), givenOutAt }]));
		expect(model.handedOn).toHaveLength(2);
		model.now += 5 * minute;
		finish(model.receive([{ ...alert('a', 'poll'), givenOutAt }]));
		expect(model.rows).toHaveLength(2);
	});
});
