import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../../../shared/connection';
import { isExplanation } from '../../../shared/explanation';
import { isId } from '../../../shared/identity';
import { readWholeList } from '../../../shared/list';

/** First pause between two checks, in milliseconds; it doubles up to the longest. */
const firstPause = 1000;
const longestPause = 15_000;

interface Waiting {
	/** The last record that was seen of it. */
	site: IDataObject;
	/** In epoch milliseconds. */
	deadline: number;
	resolve: (site: IDataObject) => void;
	reject: (error: unknown) => void;
}

/**
 * Checks new sites until they are verified or rejected, or their time is over. All sites of a run share each check: the
 * service lists them in one answer, so that thirty which wait cost as many requests as one.
 * Only `verified` is documented (service-api.md, "Site verification"); a status that says "rejected" or "failed" ends the
 * wait as well.
 */
export class Verification {
	readonly #connection: ServiceConnection;

	#waiting: Waiting[] = [];

	constructor(connection: ServiceConnection) {
		this.#connection = connection;
	}

	/** Resolves to the last record that was seen of the site, after `timeout` seconds at the latest. */
	async wait(site: IDataObject, timeout: number): Promise<IDataObject> {
		if (isSettled(site)) return site;
		return await new Promise((resolve, reject) => {
			this.#waiting.push({ site, deadline: Date.now() + timeout * 1000, resolve, reject });
			if (this.#waiting.length === 1) {
				this.#checkUntilSettled().catch((error: unknown) => {
					for (const each of this.#waiting.splice(0)) each.reject(error);
				});
			}
		});
	}

	async #checkUntilSettled(): Promise<void> {
		let last = Date.now();
		for (let pause = firstPause; this.#waiting.length > 0; ) {
			// Once more when the first one's time is over, but never two checks within the shortest pause.
			const deadline = Math.min(...this.#waiting.map((each) => each.deadline));
			const next = last + (deadline < last + firstPause ? pause : Math.min(pause, deadline - last));
			// In steps, because a site with less time may join.
			const step = Math.min(next, deadline) - Date.now();
			await this.#connection.pause(Math.max(1, Math.min(step, firstPause)));
			if (Date.now() >= next) {
				await this.#check();
				last = Date.now();
				pause = Math.min(pause * 2, longestPause);
			}
			this.#release(({ site, deadline }) => isSettled(site) || deadline <= Date.now());
		}
	}

	async #check(): Promise<void> {
		const list = await readWholeList(this.#connection, 'sites', { fresh: true });
		if (isExplanation(list)) {
			// The sites are there: that the list cannot be read must not hide them.
			if (list.failure?.cause !== 'temporarily-unavailable') this.#release(() => true);
			return;
		}
		const byId = new Map(list.entries.map((site) => [idOf(site), site]));
		for (const each of this.#waiting) each.site = byId.get(idOf(each.site) ?? '') ?? each.site;
	}

	#release(isOver: (waiting: Waiting) => boolean): void {
		const over = this.#waiting.filter(isOver);
		this.#waiting = this.#waiting.filter((each) => !over.includes(each));
		for (const { site, resolve } of over) resolve(site);
	}
}

function idOf({ id }: IDataObject): string | undefined {
	return isId(id) ? String(id) : undefined;
}

function isSettled(site: IDataObject): boolean {
	return (
		site.verified === true ||
		[site.status, site.verification, site.verification_status].some(
			(value) => typeof value === 'string' && /reject|fail/i.test(value),
		)
	);
}
