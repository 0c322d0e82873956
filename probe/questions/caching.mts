/** Whether a list may be older than the moment of asking. How far it really lags behind shows with --accept. */
import type { Answer } from '../client.mts';
import type { Observation } from '../report.mts';

export function lookAtCaching({ headers }: Answer): Observation {
	const question = 'exchanges: list may be cached';
	const age = headers.age;
	if (age !== undefined && Number(age) > 0) {
		return { question, seen: 'yes, the Age header says so', verdict: 'tolerated' };
	}
	const lifetime = /(?:s-)?max-?age\s*=\s*"?(\d+)/i.exec(headers['cache-control'] ?? '')?.[1];
	const isCached = lifetime !== undefined && Number(lifetime) > 0;
	return {
		question,
		seen: isCached ? `for ${lifetime} s, by Cache-Control` : 'no sign of it',
		verdict: isCached ? 'tolerated' : 'supported',
	};
}
