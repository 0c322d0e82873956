import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

import type { Examined } from './examine.mts';
import type { Part } from './worker.mts';

/** A process that examines histories, one part at a time. */
interface Examiner extends Disposable {
	/** @throws Error when the process ends */
	examine: (part: Part) => Promise<Examined>;
}

/** @param dist the built package, if it is not the one of this repository */
export function examiner(dist?: string): Examiner {
	// What n8n logs of failed nodes is expected here.
	const child = fork(path.join(import.meta.dirname, 'worker.mts'), {
		stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
		env: { ...process.env, ...(dist !== undefined && { CAMPAIGN_DIST: dist }) },
	});
	const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
		throw new Error(`A worker ended with ${String(code ?? signal)}.`);
	});
	// Only who waits for an answer hears of it.
	ended.catch(() => undefined);
	const isReady = once(child, 'message');
	return {
		examine: async (part) => {
			await Promise.race([isReady, ended]);
			const answered = once(child, 'message');
			child.send(part);
			const [examined] = (await Promise.race([answered, ended])) as [Examined];
			return examined;
		},
		[Symbol.dispose]: () => {
			child.kill();
		},
	};
}
