/**
 * Runs each test once as it is, and then once for each change that it has come by and that nothing has noticed yet. A
 * change is noticed when the test fails, or takes far longer than without it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import { type RunnerTestCase, TestRunner, vi } from 'vitest';

import type { Switches, Verdicts } from './mutants.mts';

const file = process.env.MUTATION_VERDICTS ?? '';
const end = Number(process.env.MUTATION_END);
const verdicts = JSON.parse(readFileSync(file, 'utf8')) as Verdicts;
const wanted = new Set(verdicts.ids);
const tried = new Set(verdicts.tried);
const switches: Switches = ((globalThis as { __stryker__?: Switches }).__stryker__ ??= {});
// Not the virtual ones of the tests.
const { setTimeout, clearTimeout } = globalThis;
const now = performance.now.bind(performance);

export default class MutationRunner extends TestRunner {
	async runTask(test: RunnerTestCase): Promise<void> {
		const run = TestRunner.getTestFn(test);
		const name = `${test.file.name} > ${test.name}`;
		switches.currentTestId = test.id;
		const start = now();
		await run();
		const usual = now() - start;
		switches.currentTestId = undefined;
		const ids = this.#toTry(test.id);
		if (ids.length === 0) return;
		let failures = 0;
		for (const id of ids) {
			if (Date.now() > end) return;
			tried.add(id);
			if (!(await fails(run, id, 5000 + usual * 10))) continue;
			verdicts.noticed[id] = name;
			failures++;
		}
		if (failures === 0 || !(await fails(run, undefined, 5000 + usual * 10))) return;
		// A change has left something behind: what this test noticed may come from that.
		verdicts.doubtful.push(name);
		verdicts.noticed = Object.fromEntries(
			Object.entries(verdicts.noticed).filter(([, by]) => by !== name),
		);
	}

	override onAfterRunFiles(...files: Parameters<TestRunner['onAfterRunFiles']>) {
		for (const id of Object.keys(switches.mutantCoverage?.static ?? {})) {
			verdicts.reached[id] ??= 'loading';
		}
		writeFileSync(file, JSON.stringify({ ...verdicts, tried: [...tried] }));
		super.onAfterRunFiles(...files);
	}

	/** The changes that the test has come by. */
	#toTry(testId: string): string[] {
		const reached = Object.keys(switches.mutantCoverage?.perTest[testId] ?? {});
		for (const id of reached) verdicts.reached[id] = 'test';
		return reached.filter((id) => wanted.has(id) && !(id in verdicts.noticed));
	}
}

/** Whether the test fails with this change, or without any. */
async function fails(
	run: () => unknown,
	id: string | undefined,
	longest: number,
): Promise<boolean> {
	switches.activeMutant = id;
	switches.hitCount = 0;
	switches.hitLimit = 1_000_000;
	let timer: NodeJS.Timeout | undefined;
	const tooLong = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => {
			reject(new Error('far longer than without the change'));
		}, longest);
	});
	try {
		await Promise.race([run(), tooLong]);
		return false;
	} catch {
		// The test has not come to the end at which it puts its own clock back.
		vi.useRealTimers();
		return true;
	} finally {
		clearTimeout(timer);
		switches.activeMutant = undefined;
		switches.hitCount = undefined;
	}
}
