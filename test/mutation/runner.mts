/**
 * Runs each test twice as it is, then once for each change that it has come by and that nothing has noticed yet. A change is
 * noticed when the test fails with it and passes without it right before or right after, or when it takes far longer.
 *
 * What a change leaves behind spoils nothing: after a run that failed, the test runs once more as it is. If that fails, or if
 * a run does not end, this process ends, and main.mts starts another one, which goes on from there.
 *
 * Each of these runs is a retry in vitest's sense, so that what the test sets up and clears away happens around each.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { type RunnerTestCase, type RunnerTestSuite, TestRunner } from 'vitest';

import type { CurrentTest, Switches, Verdicts } from './mutants.mts';

const file = process.env.MUTATION_VERDICTS ?? '';
const end = Number(process.env.MUTATION_END);
const verdicts = JSON.parse(readFileSync(file, 'utf8')) as Verdicts;
const wanted = new Set(verdicts.ids);
const tried = new Set(verdicts.tried);
const switches: Switches = ((globalThis as { __stryker__?: Switches }).__stryker__ ??= {});
// Not the virtual ones of the tests.
const { Date } = globalThis;
const now = performance.now.bind(performance);

/** Ends the process when a run takes longer than it was told; an endless loop leaves this thread alone. */
const watchdog = new Worker(
	`let timer;
	require('node:worker_threads').parentPort.on('message', (longest) => {
		clearTimeout(timer);
		if (longest > 0) timer = setTimeout(() => process.kill(process.pid, 'SIGKILL'), longest);
	});`,
	{ eval: true },
);
watchdog.unref();

/** No change has been switched on in this process. */
let isFresh = true;

/** Tests that run when the others are over: those that take long, and some behind those that noticed nothing. */
const putOff = new Set<string>();

/** Of the file whose tests run: how many in a row noticed nothing, and how many are put off because of that. */
const barren = { file: '', count: 0, left: 0 };

/** The test that runs. */
interface Course extends Omit<CurrentTest, 'isFresh'> {
	/** Runs that are over. */
	runs: number;
	/** When the present one began, and how long the first one took, in milliseconds. */
	start: number;
	usual: number;
	/** The changes that are still to be tried. */
	left: string[];
	/** Whether the run before was without a change. */
	wasClean: boolean;
	hasNoticed: boolean;
}

const interrupted = verdicts.current;
if (interrupted !== undefined) {
	verdicts.endings++;
	const { change, name, id } = interrupted;
	if (interrupted.isFresh) {
		doubt(name);
		verdicts.tests[id] = name;
	}
	if (change !== undefined) {
		tried.add(change);
		verdicts.noticed[change] = `${name} (did not end)`;
	}
	save(undefined);
}

export default class MutationRunner extends TestRunner {
	#course: Course | undefined;

	override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
		await super.onBeforeRunTask(test);
		if (Date.now() > end || test.id in verdicts.tests) test.mode = 'skip';
		else if (isPutOff(test)) {
			putOff.add(test.id);
			test.mode = 'skip';
		}
		const { passed = [], suspect } = interrupted?.id === test.id ? interrupted : {};
		this.#course = {
			...{ id: test.id, name: `${test.file.name} > ${test.name}`, passed, suspect },
			...{ runs: 0, start: 0, usual: 0, left: [], wasClean: false, hasNoticed: false },
		};
		// Without end: onAfterRetryTask decides when it is over.
		test.retry = Number.MAX_SAFE_INTEGER;
	}

	override onBeforeTryTask(...[test, options]: Parameters<TestRunner['onBeforeTryTask']>): void {
		super.onBeforeTryTask(test, options);
		const course = this.#course;
		if (course === undefined) return;
		if (course.change !== undefined) isFresh = false;
		save(course);
		// What is executed without a test is executed while a file is loaded.
		switches.currentTestId = course.runs === 0 ? test.id : 'a further run';
		switches.activeMutant = course.change;
		switches.hitCount = 0;
		switches.hitLimit = 1_000_000;
		course.start = now();
		if (!isFresh && course.runs > 0) watchdog.postMessage(3000 + course.usual * 10);
	}

	override async onAfterRetryTask(
		...[test, options]: Parameters<TestRunner['onAfterRetryTask']>
	): Promise<void> {
		await super.onAfterRetryTask(test, options);
		watchdog.postMessage(0);
		const course = this.#course;
		const { result } = test;
		if (!result || course === undefined) return;
		if (course.runs === 0) course.usual = now() - course.start;
		switches.currentTestId = undefined;
		switches.activeMutant = undefined;
		switches.hitCount = undefined;
		const again = this.#goOn(course, result.state === 'fail');
		if (!again) {
			noteYield(course);
			if (!putOff.has(test.id)) verdicts.tests[test.id] = course.name;
			save(undefined);
		}
		course.runs++;
		// vitest runs it again for as long as it has failed.
		result.state = again ? 'fail' : 'pass';
		result.errors = again ? [{ message: 'Once more', stacks: [] }] : undefined;
	}

	/** Whether the test is to run once more, and with which change. */
	#goOn(course: Course, hasFailed: boolean): boolean {
		const { change } = course;
		if (change === undefined) {
			if (hasFailed && !isFresh) endProcess(course);
			if (hasFailed) {
				doubt(course.name);
				return false;
			}
			if (course.suspect !== undefined && course.runs > 1) notice(course, course.suspect);
			if (course.runs === 0) course.left = this.#toTry(course);
			if (course.left.length > 0 && course.usual > (verdicts.longest ?? Infinity)) {
				putOff.add(course.id);
				return false;
			}
			course.wasClean = true;
		} else {
			tried.add(change);
			if (!hasFailed) course.passed.push(change);
			else if (course.wasClean) notice(course, change);
			else course.suspect = change;
			if (change === course.suspect && !hasFailed) course.suspect = undefined;
			course.wasClean = false;
		}
		// Twice without a change at first, and then after each run that has failed.
		const isCleanNext = hasFailed || course.runs === 0;
		course.change = isCleanNext || Date.now() > end ? undefined : course.left.shift();
		return course.change !== undefined || (isCleanNext && (hasFailed || course.left.length > 0));
	}

	override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
		await super.onAfterRunSuite(suite);
		if (!('filepath' in suite)) return;
		const ofLoading = Object.keys(switches.mutantCoverage?.static ?? {});
		verdicts.ofLoading = [...new Set([...verdicts.ofLoading, ...ofLoading])];
		// A test's id begins with that of its file.
		const isOver = ![...putOff].some((id) => id.startsWith(suite.id));
		if (isOver && Date.now() < end) {
			verdicts.files.push(path.relative('.', String(suite.filepath)));
		}
		save(undefined);
	}

	/** The changes that the test has come by and has not been tried with; one that is suspect first. */
	#toTry({ id, passed, suspect }: Course): string[] {
		const reached = Object.keys(switches.mutantCoverage?.perTest[id] ?? {}).filter(
			(each) => wanted.has(each) && !(each in verdicts.noticed) && !passed.includes(each),
		);
		return reached.sort((one, other) => Number(other === suspect) - Number(one === suspect));
	}
}

function notice(course: Course, change: string): void {
	verdicts.noticed[change] = course.name;
	course.suspect = undefined;
	course.hasNoticed = true;
}

/** It does not pass without a change, at least not always: what it noticed may be chance. */
function doubt(name: string): void {
	verdicts.doubtful.push(name);
	const others = Object.entries(verdicts.noticed).filter(([, by]) => by !== name);
	verdicts.noticed = Object.fromEntries(others);
}

/** Rows of a table tend to notice the same: where some have noticed nothing, ever more of the next ones are put off. */
function isPutOff({ file: { name } }: RunnerTestCase): boolean {
	if (barren.file !== name) Object.assign(barren, { file: name, count: 0, left: 0 });
	if (verdicts.longest === undefined || barren.left === 0) return false;
	barren.left--;
	return true;
}

function noteYield({ passed, hasNoticed }: Course): void {
	if (hasNoticed) barren.count = 0;
	else if (passed.length > 20) barren.left = 2 ** barren.count++;
}

function save(current: Course | undefined): void {
	verdicts.tried = [...tried];
	verdicts.current = current && {
		...{ id: current.id, name: current.name, passed: current.passed },
		...{ change: current.change, suspect: current.suspect, isFresh },
	};
	writeFileSync(file, JSON.stringify(verdicts));
}

function endProcess(course: Course): never {
	save(course);
	process.kill(process.pid, 'SIGKILL');
	throw new Error('ends');
}
