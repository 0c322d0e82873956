import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../../../shared/connection';
import { isExplanation } from '../../../shared/explanation';
import { idOf, isId } from '../../../shared/identity';
import { readWholeList } from '../../../shared/list';

/** First pause between two checks, in milliseconds; it doubles up to the longest. */
const firstPause = 1000;
const longestPause = 15_000;

/**
 * Checks new sites until they are verified or rejected, or their time is over. All sites of a run share the checks: the
 * service lists them in one answer, so that thirty which wait cost as many requests as one.
 * Only `verified` is documented (service-api.md, "Site verification"); a status that says "rejected" or "failed" ends the
 * wait as well.
 */
export class Verification {
	readonly #connection: ServiceConnection;

	#list: ReturnType<typeof readWholeList> | undefined;

	/** When it was asked for, in epoch milliseconds. */
	#listedAt = 0;

	constructor(connection: ServiceConnection) {
		this.#connection = connection;
	}

	/** The last record that was seen of the site, after `timeout` seconds at the latest. */
	async wait(added: IDataObject, timeout: number): Promise<IDataObject> {
		const deadline = Date.now() + timeout * 1000;
		const isIt = (each: IDataObject) => isId(added.id) && idOf(each) === idOf(added);
		let site = added;
		for (let pause = firstPause; !isSettled(site) && Date.now() < deadline; ) {
			await this.#connection.pause(Math.min(pause, deadline - Date.now()));
			// Once more when its time is over, but never two checks within the shortest pause.
			const list = await this.#listOf(Date.now() < deadline ? pause : firstPause);
			if (!isExplanation(list)) {
				site = list.entries.find(isIt) ?? site;
			} else if (list.failure?.cause !== 'temporarily-unavailable') {
				// The site is there: that the list cannot be read must not hide it.
				return site;
			}
			pause = Math.min(pause * 2, longestPause);
		}
		return site;
	}

	/** The sites, as another one that waits has listed them if that was less than so many milliseconds ago. */
	async #listOf(mostAge: number) {
		if (this.#list === undefined || Date.now() - this.#listedAt >= mostAge) {
			this.#listedAt = Date.now();
			this.#list = readWholeList(this.#connection, 'sites', { fresh: true });
		}
		return await this.#list;
	}
}

function isSettled(site: IDataObject): boolean {
	return (
		site.verified === true ||
		[site.status, site.verification, site.verification_status].some(
			(value) => typeof value === 'string' && /reject|fail/i.test(value),
		)
	);
}
