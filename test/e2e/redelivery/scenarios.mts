/** What redelivery has to withstand, at any size. Each asserts on the books of the receiving end and returns its figures. */
import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Call } from './books.mts';
import { type Rig, until } from './rig.mts';

/** What was measured, for a table. */
export type Figures = Record<string, number | string>;

const minute = 60_000;
const hour = 60 * minute;
/** After this time the trigger knows that an execution has failed, so that a clock that is ahead counts from there. */
const untilNoted = 10_000;

/** The service is away while n8n starts; later, events come, to each of the workflows. */
export async function serviceAwayAtStart(rig: Rig): Promise<Figures> {
	rig.sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: 1_000_000 });
	await rig.start();
	// n8n tries to activate a workflow for half a minute.
	await sleep(45_000);
	const requests = rig.requests;
	await until('a poll after those of the start', () => rig.requests, requests + 3);
	rig.sandbox.clearFaults();
	await rig.polls(2);
	offers(rig, 'start', 3);
	let twice = 0;
	for (const workflow of rig.workflows) {
		await until(`events in ${workflow}`, () => done(rig, 'start', workflow), 3);
		await rig.polls(1);
		twice += repeated(rig, 'start', 3, workflow);
	}
	return { workflows: rig.workflows.length, 'events in each': 3, twice };
}

/** A called service that fails twice. */
export async function failsTwice(rig: Rig, count: number): Promise<Figures> {
	rig.books.refuses = ({ eventKey, attempt }) => eventKey.includes(':twice-') && attempt <= 2;
	offers(rig, 'twice', count);
	const refused = () => refusals(rig, 'twice');
	await until('two executions of each', refused, 2 * count);
	await sleep(untilNoted);
	await rig.clock.forward(5 * minute);
	await until('events', () => done(rig, 'twice'), count);
	await rig.polls(2);
	assert.equal(refused(), 2 * count);
	return { events: count, refused: refused(), twice: repeated(rig, 'twice', count) };
}

/** A called service that is away for an hour, and one that is away for good; n8n's clock runs ahead. */
export async function failsLong(rig: Rig, count: number): Promise<Figures> {
	let isAway = true;
	rig.books.refuses = ({ eventKey }) =>
		eventKey.includes(':good-') || (isAway && eventKey.includes(':hour-'));
	offers(rig, 'hour', count);
	offers(rig, 'good', count);
	const refused = (kind: string) => refusals(rig, kind);
	for (let attempt = 1; attempt <= 4; attempt++) {
		await until(`attempt ${attempt}`, () => refused('hour'), attempt * count);
		await sleep(untilNoted);
		await rig.clock.forward(hour / 3);
	}
	isAway = false;
	await rig.clock.forward(hour);
	await until('events after the outage', () => done(rig, 'hour'), count);
	for (let attempt = 5; attempt <= 10; attempt++) {
		await until(`attempt ${attempt}`, () => refused('good'), attempt * count);
		await sleep(untilNoted);
		await rig.clock.forward(6 * hour);
	}
	await rig.polls(3);
	assert.equal(refused('good'), 10 * count);
	const givenUp = rig.query(
		`SELECT COUNT(*) AS "count" FROM "execution_data" WHERE "data" LIKE '%Gave up on exchange.requested:good-%'`,
	);
	return {
		'events of the hour': count,
		twice: repeated(rig, 'hour', count),
		'given up': count,
		'executions that name one': Number(givenUp[0]?.count),
	};
}

/** n8n is stopped, and killed, after executions have succeeded: nothing comes again. */
export async function restartsAfterSuccess(rig: Rig, count: number): Promise<Figures> {
	offers(rig, 'restart', count);
	await until('events', () => done(rig, 'restart'), count);
	await rig.polls(2);
	await rig.n8n.stop();
	await rig.n8n.start();
	await rig.polls(2);
	await rig.n8n.kill();
	await rig.n8n.start();
	await rig.polls(3);
	return { events: count, restarts: 2, twice: noneRepeated(rig, 'restart', count) };
}

/** n8n is stopped (SIGTERM) while executions run, and waits for them: nothing comes again. */
export async function stopWhileRunning(rig: Rig, count: number): Promise<Figures> {
	rig.books.milliseconds = 8000;
	offers(rig, 'stopped', count);
	await until('executions that run', () => done(rig, 'stopped'), count);
	await rig.n8n.stop();
	rig.books.milliseconds = 0;
	await rig.n8n.start();
	await rig.polls(3);
	return { events: count, twice: noneRepeated(rig, 'stopped', count) };
}

/** The same, when other polls have come since the executions were started. */
export async function stopAfterPolls(rig: Rig, count: number): Promise<Figures> {
	rig.books.milliseconds = 28_000;
	offers(rig, 'polled', count);
	await until('executions that run', () => done(rig, 'polled'), count);
	await rig.polls(1);
	await rig.n8n.stop();
	rig.books.milliseconds = 0;
	await rig.n8n.start();
	await rig.polls(3);
	return { events: count, twice: noneRepeated(rig, 'polled', count) };
}

/** n8n is stopped right after an execution has ended, several times: nothing comes again. */
export async function stopRightAfter(rig: Rig, times: number): Promise<Figures> {
	for (let time = 0; time < times; time++) {
		rig.sandbox.requestOffer({ id: `after-${time}` });
		await until('an event', () => done(rig, 'after'), time + 1);
		await rig.n8n.stop();
		await rig.n8n.start();
	}
	await rig.polls(2);
	return { restarts: times, twice: noneRepeated(rig, 'after', times) };
}

/**
 * n8n runs two executions at once, and is stopped while two run and others wait for their turn in n8n. What has succeeded
 * does not come again; what waited is run by n8n after its start, which the trigger cannot know.
 */
export async function stopAtLimit(rig: Rig): Promise<Figures> {
	rig.books.milliseconds = 6000;
	offers(rig, 'limit', 5);
	await until('executions that run', () => done(rig, 'limit'), 2);
	await rig.n8n.stop();
	const before = rig.books.counts(':limit-');
	rig.books.milliseconds = 0;
	await rig.n8n.start();
	await until('events', () => done(rig, 'limit'), 5);
	// Longer than the trigger waits for an execution of which it knows nothing.
	await rig.polls(8);
	const twice = [...rig.books.counts(':limit-')].filter(([, times]) => times > 1);
	const again = twice.filter(([key]) => before.has(key)).length;
	assert.equal(again, 0, `limit: ${again} were worked on again that had succeeded`);
	return { events: 5, 'done before': before.size, 'waited and came twice': twice.length };
}

/** Of a trigger that polls once a day: what the poll of n8n's start has found and done does not come again with the next start. */
export async function dailyTrigger(rig: Rig, count: number): Promise<Figures> {
	// It has to take note of what is there, and n8n to save that, before anything happens.
	await until('the first poll', () => rig.requests, 1);
	await sleep(5000);
	await rig.n8n.stop();
	offers(rig, 'daily', count);
	await rig.n8n.start();
	await until('events', () => done(rig, 'daily'), count);
	for (let restart = 0; restart < 3; restart++) {
		const before = rig.requests;
		await rig.n8n.stop();
		await rig.n8n.start();
		await until('the poll of the start', () => rig.requests, before + 1);
		// Long enough for an execution that it starts.
		await sleep(5000);
	}
	return { events: count, restarts: 4, twice: noneRepeated(rig, 'daily', count) };
}

/** n8n is killed while executions run. */
export async function killWhileRunning(rig: Rig, count: number): Promise<Figures> {
	rig.books.milliseconds = 20_000;
	offers(rig, 'running', count);
	await until('executions that run', () => done(rig, 'running'), count);
	await rig.n8n.kill();
	rig.books.milliseconds = 0;
	await rig.n8n.start();
	await until('them again', () => total(rig.books.counts(':running-')), 2 * count);
	await rig.polls(2);
	const twice = repeated(rig, 'running', count);
	return { events: count, 'executed again': twice };
}

/** Many events while processes are killed, one after the other. */
export async function kills(rig: Rig, count: number, times: number): Promise<Figures> {
	const kind = `kills${count}`;
	for (let time = 0; time < times; time++) {
		offers(rig, `${kind}.${time}`, Math.ceil(count / times));
		const doneNow = () => rig.books.counts(`:${kind}.`).size;
		// In the middle of them.
		const before = doneNow();
		await until('some of the events', doneNow, before + Math.ceil(count / times / 3));
		await rig.killAndRestart(time % rig.processCount);
	}
	const all = Math.ceil(count / times) * times;
	await until('events', () => rig.books.counts(`:${kind}.`).size, all);
	await rig.polls(2);
	const counts = [...rig.books.counts(`:${kind}.`).values()];
	return {
		events: all,
		kills: times,
		lost: all - counts.length,
		'worked on more than once': counts.filter((each) => each > 1).length,
	};
}

/** A workflow that waits for somebody has taken its events over; two triggers in one workflow each do so. */
export async function waitsAndTwoTriggers(rig: Rig, count: number): Promise<Figures> {
	offers(rig, 'wait', count);
	await until('the workflow that waits', () => done(rig, 'wait', 'waits'), count);
	await until('both triggers', () => total(rig.books.counts(':wait-', 'two')), 2 * count);
	await rig.polls(2);
	await rig.n8n.kill();
	await rig.n8n.start();
	await rig.polls(3);
	assert.equal(total(rig.books.counts(':wait-', 'two')), 2 * count);
	return {
		events: count,
		'waiting executions': rig.statuses('waits').waiting ?? 0,
		'again after a kill': repeated(rig, 'wait', count, 'waits'),
		'by two triggers': total(rig.books.counts(':wait-', 'two')),
	};
}

/** Very many events at once. */
export async function volume(rig: Rig, count: number): Promise<Figures> {
	const start = performance.now();
	for (let number = 0; number < count; number++) {
		rig.sandbox.alert({ exchangeId: `volume-${number}` });
	}
	await until('events', () => done(rig, 'volume'), count);
	const seconds = (performance.now() - start) / 1000;
	await rig.polls(2);
	await sleep(1000);
	return {
		events: count,
		twice: repeated(rig, 'volume', count),
		'events per second': (count / seconds).toFixed(1),
	};
}

function offers(rig: Rig, kind: string, count: number): void {
	for (let number = 0; number < count; number++) {
		rig.sandbox.requestOffer({ id: `${kind}-${number}` });
	}
}

function refusals(rig: Rig, kind: string): number {
	const isOne = ({ eventKey, workflow }: Call) =>
		workflow === 'events' && eventKey.includes(`:${kind}-`);
	return rig.books.refused.filter(isOne).length;
}

function done(rig: Rig, kind: string, workflow?: string): number {
	return rig.books.counts(`:${kind}-`, workflow).size;
}

/** How often events of a kind were worked on: each at least once; returns how many more than once. */
function repeated(rig: Rig, kind: string, count: number, workflow?: string): number {
	const counts = rig.books.counts(`:${kind}-`, workflow);
	assert.equal(counts.size, count, `${kind}: ${count - counts.size} were lost`);
	return [...counts.values()].filter((each) => each > 1).length;
}

function noneRepeated(rig: Rig, kind: string, count: number): number {
	const twice = repeated(rig, kind, count);
	assert.equal(twice, 0, `${kind}: ${twice} were worked on more than once`);
	return twice;
}

function total(counts: Map<string, number>): number {
	return [...counts.values()].reduce((sum, each) => sum + each, 0);
}
