import { bodyWords } from '../bodies.mts';
import type { Answer, Client } from '../client.mts';
import type { Observation } from '../report.mts';
import { ProbeStopped } from '../stopped.mts';

/** Whether the service answers to this key at all; everything else needs that. */
export function lookAtFirstAnswer(client: Client, sites: Answer): Observation[] {
	const { status, tls } = sites;
	if (status >= 300 && status < 400) {
		throw new ProbeStopped(
			'The base URL redirects to another address. Run the probe with the final address; the key was not sent on.',
		);
	}
	if (status === 401 || status === 403) {
		throw new ProbeStopped(
			`The service does not accept this key (HTTP ${status}, ${bodyWords(sites)}). Check the key, and that the account has the Pro or the Agency plan.`,
		);
	}
	if (status !== 200) {
		throw new ProbeStopped(
			`GET /sites was answered with HTTP ${status} and ${bodyWords(sites)}. Does the base URL end in /api?`,
		);
	}
	if (sites.json === undefined) {
		throw new ProbeStopped(
			`GET /sites was answered with ${bodyWords(sites)}. Does the base URL end in /api?`,
		);
	}
	return [
		{
			question: 'connection',
			seen: client.isEncrypted ? `https, ${tls ?? 'unknown protocol'}` : 'http, not encrypted',
			verdict: client.isEncrypted ? 'supported' : 'tolerated',
		},
	];
}
