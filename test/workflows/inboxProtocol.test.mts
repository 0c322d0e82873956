/** The event inbox in random orders of requests and kills; what fails, and what nobody can read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readWorkflow } from '../../playground/n8n/workflowFiles.mts';
import { alert, finish, handOn, hour, minute } from './inboxEvents.mts';
import { InboxModel } from './inboxModel.mts';

describe('executions that overlap', () => {
	const arrivals = fc.array(
		fc.array(fc.constantFrom('one', 'two'), { minLength: 1, maxLength: 4 }),
		{ minLength: 1, maxLength: 5 },
	);
	// Which execution does its next request; a number beyond them starts the clock; a negative one is a kill.
	const order = fc.array(fc.integer({ min: -4, max: 30 }), { maxLength: 120 });

	// Whether the called workflow fails, from the last one on.
	const failures = fc.array(fc.boolean(), { maxLength: 5 });

	it('hand on every event; twice only when killed between the step and its mark', () => {
		fc.assert(
			fc.property(arrivals, order, failures, (deliveries, steps, failing) => {
				const model = new InboxModel({ ...handOn, maxTries: 50 });
				model.fails = () => failing.pop() ?? false;
				interface Running {
					generator: Generator<string, void>;
					last: string;
				}
				const running: Running[] = deliveries.map((names) => ({
					generator: model.receive(names.map((name) => alert(name))),
					last: '',
				}));
				// A killed execution that had handed on, but not marked it.
				let unmarked = 0;
				let isKilled = false;
				for (const step of steps) {
					model.now += 1;
					if (step > 25) {
						running.push({ generator: model.tick(), last: '' });
						continue;
					}
					const index = Math.abs(step) % Math.max(running.length, 1);
					const chosen = running[index];
					if (chosen === undefined) continue;
					if (step < 0) {
						// A row that was not written is lost with its execution; polling brings it again.
						if (['', 'insert'].includes(chosen.last)) continue;
						if (chosen.last === 'handed on') unmarked++;
						isKilled = true;
						running.splice(index, 1);
						continue;
					}
					const next = chosen.generator.next();
					if (next.done === true) running.splice(index, 1);
					else chosen.last = next.value;
				}
				for (const { generator } of running) finish(generator);
				for (let round = 0; round < 12; round++) {
					model.now += 61 * minute;
					finish(model.tick());
				}
				const written = new Set(model.rows.map(({ eventKey }) => eventKey));
				const done = model.handedOn.filter(({ isDone }) => isDone);
				const keys = done.map(({ eventKey }) => eventKey);
				expect(new Set(keys)).toEqual(written);
				expect(keys.length - written.size).toBeLessThanOrEqual(unmarked);
				if (!isKilled) expect(keys.length).toBe(written.size);
				expect(model.rows.filter(({ state }) => ['new', 'working'].includes(state))).toEqual([]);
			}),
			{ numRuns: 1500 },
		);
	});
});

describe('under load', () => {
	it('the clock leaves the end of a long array to the execution that is working on it', () => {
		const model = new InboxModel(handOn);
		const execution = model.receive(Array.from({ length: 500 }, (_, index) => alert(`a${index}`)));
		while (execution.next().value !== 'claimed');
		model.now += 5 * minute;
		finish(model.tick());
		expect(model.rows.filter(({ tries }) => tries === 0).length).toBeGreaterThan(475);
		// What that execution leaves, because it is killed now, is taken later.
		for (let time = 0; time < 60; time += 5) {
			model.now += 5 * minute;
			finish(model.tick());
		}
		expect(model.rows.filter(({ state }) => state !== 'done')).toEqual([]);
	});
});

describe('what is not done at once', () => {
	const only = (workflows: string) => ({ watchdogAlert: workflows });

	it('is tried with growing pauses, then told once and kept until a person releases it', () => {
		const model = new InboxModel(only('a'));
		model.fails = () => true;
		finish(model.receive([alert('a')]));
		const pauses: number[] = [];
		for (let last = model.now; model.rows[0]?.state === 'new'; model.now += minute) {
			const calls = model.handedOn.length;
			finish(model.tick());
			if (model.handedOn.length === calls) continue;
			pauses.push(Math.round((model.now - last) / minute));
			last = model.now;
		}
		expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320]);
		finish(model.tick());
		expect(model.told).toEqual([alert('a').eventKey]);
		expect(model.rows[0]).toMatchObject({ state: 'failed', tries: 8, note: 'it failed' });
		model.now += 48 * hour;
		finish(model.tick());
		expect(model.handedOn).toHaveLength(8);
		model.fails = () => false;
		if (model.rows[0] !== undefined) model.rows[0].state = 'new';
		finish(model.tick());
		expect(model.handedOn).toHaveLength(9);
		expect(model.rows[0]).toMatchObject({ state: 'done', tries: 1 });
	});

	it('an event that stops n8n each time is given up as well', () => {
		const model = new InboxModel({ ...only('a'), maxTries: 3 });
		const die = (execution: Generator<string, void>) => {
			for (let next = execution.next(); next.done !== true && next.value !== 'handed on'; ) {
				next = execution.next();
			}
		};
		die(model.receive([alert('a')]));
		for (let time = 0; time < 3; time++) {
			model.now += 36 * minute;
			die(model.tick());
		}
		finish(model.tick());
		expect(model.handedOn).toHaveLength(3);
		expect(model.told).toEqual([alert('a').eventKey]);
	});

	it('of several workflows, only the one that failed is called again', () => {
		const model = new InboxModel(only('a, https://n8n.example/workflow/b?from=list c'));
		model.fails = (_key, workflow) => workflow === 'b' && model.handedOn.length < 4;
		finish(model.receive([alert('a')]));
		model.now += hour;
		finish(model.tick());
		model.now += hour;
		finish(model.tick());
		expect(model.handedOn.map(({ workflow }) => workflow)).toEqual(['a', 'b', 'c', 'b', 'b']);
		expect(model.rows).toMatchObject([{ state: 'done', handedTo: 'a c b' }]);
	});

	it('without a workflow it is kept, and handed on when a person releases it', () => {
		const model = new InboxModel();
		finish(model.receive([alert('a'), alert('a')]));
		expect(model.rows.map(({ state }) => state)).toEqual(['no workflow', 'repeated']);
		Object.assign(model.settings, only('a'));
		if (model.rows[0] !== undefined) model.rows[0].state = 'new';
		finish(model.tick());
		expect(model.handedOn).toHaveLength(1);
	});

	it('what cannot be read is given up, and does not hold up the rest', () => {
		const model = new InboxModel({ ...only('a'), watchdogAlert: '!' });
		expect(() => {
			finish(model.receive([alert('a'), alert('b')]));
		}).toThrow(/Settings/);
		Object.assign(model.settings, only('a'));
		if (model.rows[0] !== undefined) model.rows[0].data = 'no JSON';
		model.now += hour;
		finish(model.tick());
		expect(model.handedOn.map(({ eventKey }) => eventKey)).toEqual([alert('b').eventKey]);
		expect(model.told).toEqual([alert('a').eventKey]);
	});
});

describe('settings', () => {
	it.each([
		[{ maxTries: 'many' }, /maxTries must be a number from 1 to 100, but is "many"/],
		[{ maxTries: null }, /maxTries must be/],
		[{ maxTries: '' }, /maxTries must be/],
		[{ keepDays: -1 }, /keepDays must be/],
		[{ sameAlertHours: Number.NaN }, /sameAlertHours must be/],
		[{ keepDays: 1, sameAlertHours: 48 }, /keepDays must not be shorter than sameAlertHours/],
		[
			{ watchdogAlert: 'a, <b>' },
			/watchdogAlert: "<b>" is neither a workflow's ID nor its address/,
		],
		[{ watchdogAlert: 'inbox' }, /cannot be handed on to the inbox itself/],
	])('%j stop the run with a plain message, and the event waits', (settings, message) => {
		const model = new InboxModel(settings);
		expect(() => {
			finish(model.receive([alert('a')]));
		}).toThrow(message);
		expect(model.rows).toMatchObject([{ state: 'new', tries: 0 }]);
	});
});

it('what is finished is forgotten in time, what is not is kept', () => {
	const model = new InboxModel(handOn);
	for (let day = 0; day < 365; day++) {
		model.fails = () => day === 300;
		finish(model.receive([alert(`${day}`), alert(`${day}`, 'poll')]));
		for (let part = 0; part < 12; part++) {
			model.now += 2 * hour;
			finish(model.tick());
		}
	}
	expect(model.rows.length).toBeLessThanOrEqual(2 * 31 + 1);
	expect(model.rows.map(({ state }) => state)).toContain('failed');
	expect(model.handedOn.filter(({ isDone }) => isDone)).toHaveLength(364);
});

it('what is to be told comes after the work, because n8n begins with the branch that is higher up', () => {
	const { nodes, connections } = readWorkflow('event-inbox');
	const height = (name: string) => nodes.find((node) => node.name === name)?.position[1];
	const branches = connections['Is it the clock?']?.main?.[0] ?? [];
	expect(branches.map(({ node }) => node).sort()).toEqual(['Forget old', 'Report once']);
	expect(height('Forget old')).toBeLessThan(height('Report once') ?? 0);
});
