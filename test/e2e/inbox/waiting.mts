/** Waiting for the event inbox, for as long as something moves. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Rig } from './rig.mts';

const minute = 60_000;

/** Everything that was written down has come to its end. */
const isQuiet = (rig: Rig) => rig.rows(`"state" IN ('new', 'working')`).length === 0;

/** Waits for something that takes long, and stops waiting when nothing has moved for some minutes. */
export async function until(
	what: string,
	progress: () => number,
	goal: number,
	explain = () => '',
): Promise<void> {
	let last = -1;
	let since = performance.now();
	for (;;) {
		const now = progress();
		if (now >= goal) return;
		if (now !== last) since = performance.now();
		last = now;
		const waited = performance.now() - since;
		if (waited >= 4 * minute) {
			throw new Error(`${what}: ${now} of ${goal}, and nothing moves any more ${explain()}`);
		}
		await sleep(500);
	}
}

/** The service, too, does not deliver faster than n8n works for long. */
export async function untilFewWait(rig: Rig): Promise<void> {
	const few = () => 50 - rig.rows(`"state" IN ('new', 'working')`).length;
	await until('rows that wait', few, 0);
}

export async function untilQuiet(rig: Rig): Promise<void> {
	const finished = () => rig.rows().length - rig.rows(`"state" IN ('new', 'working')`).length;
	await until('rows that are finished', () => (isQuiet(rig) ? Infinity : finished()), Infinity);
}
