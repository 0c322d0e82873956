/** The reading part of the probe: every question that can be answered without changing anything. */
import type { Client } from './client.mts';
import { lookAtCaching } from './questions/caching.mts';
import { askForCredits } from './questions/credits.mts';
import { askForErrors } from './questions/errors.mts';
import { lookAtLimits } from './questions/limits.mts';
import { askForFilters, lookAtLists, readLists } from './questions/lists.mts';
import { lookAtFirstAnswer } from './questions/reachability.mts';
import { lookAtRecords } from './questions/records.mts';
import type { Observation } from './report.mts';

/**
 * Asks a service about a dozen questions, reading only. Each group of observations is handed to `onObserved` as soon as it is there.
 *
 * @throws ProbeStopped when the service cannot be reached or does not accept the key
 */
export async function askAll(
	client: Client,
	onObserved: (observation: Observation) => void = () => undefined,
): Promise<Observation[]> {
	const all: Observation[] = [];
	const add = (observations: Observation[]) => {
		all.push(...observations);
		for (const observation of observations) onObserved(observation);
	};
	const sites = await client.ask({ path: '/sites' });
	add(lookAtFirstAnswer(client, sites));
	const lists = await readLists(client, sites);
	add(lookAtLists(client, lists));
	add(await askForFilters(client, lists));
	add(lookAtRecords(lists));
	add(await askForCredits(client));
	add(await askForErrors(client));
	add([lookAtCaching(lists.exchanges)]);
	add(lookAtLimits(client.answers));
	return all;
}
