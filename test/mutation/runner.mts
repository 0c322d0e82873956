/**
 * Runs each test once as it is, then once for each change that it has come by and that nothing has noticed yet, and once more
 * as it is. A change is noticed when the test fails, or takes far longer than without it.
 *
 * Each of these runs is a retry in vitest's sense, so that what the test sets up and clears away happens around each.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import { type RunnerTestCase, TestRunner } from 'vitest';

import type { Switches, Verdicts } from './mutants.mts';

const file = process.env.MUTATION_VERDICTS ?? '';
const end = Number(process.env.MUTATION_END);
const verdicts = JSON.parse(readFileSync(file, 'utf8')) as Verdicts;
const wanted = new Set(verdicts.ids);
const tried = new Set(verdicts.tried);
const switches: Switches = ((globalThis as { __stryker__?: Switches }).__stryker__ ??= {});
// Not the virtual ones of the tests.
const { setTimeout, clearTimeout, Date } = globalThis;
const now = performance.now.bind(performance);

/** The test that runs. */
interface Course {
	/** The change that is switched on in each run; the first and the last run are without one. */
	ids: Array<string | undefined>;
	/** The index of the run. */
	run: number;
	/** How long the first one took, in milliseconds. */
	usual: number;
	noticed: string[];
}

export default class MutationRunner extends TestRunner {
	#course: Course = { ids: [undefined], run: 0, usual: 0, noticed: [] };

	override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
		await super.onBeforeRunTask(test);
		this.#course = { ids: [undefined], run: 0, usual: 0, noticed: [] };
		// Without end: onAfterRetryTask decides when it is over.
		test.retry = Number.MAX_SAFE_INTEGER;
	}

	override onBeforeTryTask(...[test, options]: Parameters<TestRunner['onBeforeTryTask']>): void {
		super.onBeforeTryTask(test, options);
		const { ids, run } = this.#course;
		// What is executed without a test is executed while a file is loaded.
		switches.currentTestId = run === 0 ? test.id : 'a further run';
		switches.activeMutant = ids[run];
		switches.hitCount = 0;
		switches.hitLimit = 1_000_000;
	}

	async runTask(test: RunnerTestCase): Promise<void> {
		const { run, usual } = this.#course;
		const start = now();
		if (run === 0) await TestRunner.getTestFn(test)();
		else await inTime(TestRunner.getTestFn(test)(), 3000 + usual * 10);
		if (run === 0) this.#course.usual = now() - start;
	}

	override async onAfterRetryTask(
		...[test, options]: Parameters<TestRunner['onAfterRetryTask']>
	): Promise<void> {
		await super.onAfterRetryTask(test, options);
		const course = this.#course;
		const { ids, run } = course;
		const id = ids[run];
		const { result } = test;
		if (!result) return;
		const failed = result.state === 'fail';
		switches.currentTestId = undefined;
		switches.activeMutant = undefined;
		switches.hitCount = undefined;
		if (run === 0 && !failed) ids.push(...this.#toTry(test.id));
		if (id !== undefined) {
			tried.add(id);
			if (failed) course.noticed.push(id);
		}
		course.run++;
		const isLast = run > 0 && id === undefined;
		if (!isLast && run === ids.length - 1 && run > 0) ids.push(undefined);
		if (Date.now() > end && id !== undefined) ids.splice(run + 1, Infinity, undefined);
		const name = `${test.file.name} > ${test.name}`;
		// A change has left something behind, or the test cannot be run twice: what it noticed may come from that.
		if (failed && id === undefined) verdicts.doubtful.push(name);
		else if (isLast) for (const mutant of course.noticed) verdicts.noticed[mutant] = name;
		// vitest runs it again for as long as it has failed.
		const again = course.run < ids.length;
		result.state = again ? 'fail' : 'pass';
		result.errors = again ? [{ message: 'Once more', stacks: [] }] : undefined;
	}

	override onAfterRunFiles(...files: Parameters<TestRunner['onAfterRunFiles']>) {
		const ofLoading = Object.keys(switches.mutantCoverage?.static ?? {});
		verdicts.ofLoading = [...new Set([...verdicts.ofLoading, ...ofLoading])];
		writeFileSync(file, JSON.stringify({ ...verdicts, tried: [...tried] }));
		super.onAfterRunFiles(...files);
	}

	/** The changes that the test has come by. */
	#toTry(testId: string): string[] {
		const reached = Object.keys(switches.mutantCoverage?.perTest[testId] ?? {});
		return reached.filter((id) => wanted.has(id) && !(id in verdicts.noticed));
	}
}

/** @throws Error when it takes longer than this many milliseconds */
async function inTime(running: unknown, longest: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const tooLong = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => {
			reject(new Error('far longer than without the change'));
		}, longest);
	});
	try {
		await Promise.race([running, tooLong]);
	} finally {
		clearTimeout(timer);
	}
}
