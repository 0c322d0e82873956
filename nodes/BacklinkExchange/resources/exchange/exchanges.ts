import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../../../shared/connection';
import { type Explanation, isExplanation } from '../../../shared/errors';
import { readWholeList } from '../../../shared/list';

/** The values of the status filter (service-api.md, "Exchange"). */
const statuses = ['pending', 'accepted', 'live', 'broken'];

/** What the service's list says of an exchange; `record` is undefined when no list holds it. */
export interface Sighting {
	record: IDataObject | undefined;
}

/**
 * Looks an exchange up. There is no endpoint for a single one, so the list is read: the whole one first, then, should
 * the service cap it, each status. `fresh`: ask even if the list was read before in this run.
 */
export async function findExchange(
	connection: ServiceConnection,
	id: string,
	{ fresh }: { fresh: boolean },
): Promise<Sighting | Explanation> {
	let truncated = false;
	for (const status of [undefined, ...statuses]) {
		// A complete list without the exchange is an answer.
		if (status !== undefined && !truncated) break;
		const result = await readWholeList(connection, {
			name: 'exchanges',
			path: ['exchanges'],
			query: status === undefined ? {} : { status },
			action: 'list the exchanges',
			fresh,
			enough: (entries) => entries.some((entry) => hasId(entry, id)),
		});
		if (isExplanation(result)) return result;
		const record = result.entries.find((entry) => hasId(entry, id));
		if (record) return { record };
		truncated ||= result.truncated;
	}
	return { record: undefined };
}

function hasId(entry: IDataObject, id: string): boolean {
	return String(entry.id) === id;
}

/** Accepted or live: the offer has been accepted, and paid for. */
export function isAccepted(exchange: IDataObject | undefined): boolean {
	return exchange?.status === 'accepted' || exchange?.status === 'live';
}
