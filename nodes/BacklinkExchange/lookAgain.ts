import type { ServiceConnection } from '../shared/connection';
import { backoff } from '../shared/retry';

/**
 * Looks at the service again and again, with growing pauses, until `isSettled` says that the look tells enough.
 * Gives back the last look in any case. Four looks take about three seconds, six about ten.
 */
export async function lookAgain<Look>(
	connection: ServiceConnection,
	mostLooks: number,
	look: () => Promise<Look>,
	isSettled: (look: Look) => boolean,
): Promise<Look> {
	for (let count = 1; ; count++) {
		const seen = await look();
		if (count >= mostLooks || isSettled(seen)) return seen;
		await connection.pause(backoff(count));
	}
}
