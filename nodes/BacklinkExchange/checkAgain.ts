import type { ServiceConnection } from '../shared/connection';
import { backoff } from '../shared/retry';

/**
 * Checks something at the service again and again, with growing pauses, until `isSettled` says that the result is enough.
 * Returns the last result in any case. Four checks take about three seconds, six about ten.
 */
export async function checkAgain<Result>(
	connection: ServiceConnection,
	mostChecks: number,
	check: () => Promise<Result>,
	isSettled: (result: Result) => boolean,
): Promise<Result> {
	for (let count = 1; ; count++) {
		const result = await check();
		if (count >= mostChecks || isSettled(result)) return result;
		await connection.pause(backoff(count));
	}
}
