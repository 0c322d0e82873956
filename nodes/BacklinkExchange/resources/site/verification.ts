import type { IDataObject } from 'n8n-workflow';

import type { ServiceConnection } from '../../../shared/connection';
import { isExplanation } from '../../../shared/explanation';
import { isId } from '../../../shared/identity';
import { readWholeList } from '../../../shared/list';

/** First pause between two looks, in milliseconds; it doubles up to the longest. */
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
 * Looks at new sites until they are verified or rejected, or their time is over. All sites of a run share each look: the
 * service lists them in one answer, so that thirty which wait cost as many requests as one.
 * Only `verified` is documented (service-api.md, "Site verification"); a status that says "rejected" or "failed" ends the
 * wait as well.
 */
export class VerificationWatch {
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
			if (this.#waiting.length === 1) void this.#watch();
		});
	}

	async #watch(): Promise<void> {
		let lastLook = Date.now();
		let pause = firstPause;
		try {
			while (this.#waiting.length > 0) {
				// In steps, because a site with less time may join.
				const nextLook = this.#nextLook(lastLook, pause);
				const step = Math.min(nextLook, this.#firstDeadline()) - Date.now();
				await this.#connection.pause(Math.max(1, Math.min(step, firstPause)));
				if (Date.now() >= nextLook) {
					await this.#look();
					lastLook = Date.now();
					pause = Math.min(pause * 2, longestPause);
				}
				this.#release(({ site, deadline }) => isSettled(site) || deadline <= Date.now());
			}
		} catch (error) {
			for (const { reject } of this.#waiting.splice(0)) reject(error);
		}
	}

	/** After the pause, or when the first one's time is over, but never two looks within the shortest pause. */
	#nextLook(lastLook: number, pause: number): number {
		const deadline = this.#firstDeadline();
		return deadline < lastLook + firstPause
			? lastLook + pause
			: Math.min(lastLook + pause, deadline);
	}

	#firstDeadline(): number {
		return this.#waiting.reduce((first, { deadline }) => Math.min(first, deadline), Infinity);
	}

	async #look(): Promise<void> {
		const result = await readWholeList(this.#connection, {
			name: 'sites',
			path: ['sites'],
			action: 'list the sites',
			fresh: true,
		});
		if (isExplanation(result)) {
			// The sites are there: that the list cannot be read must not hide them.
			if (result.failure?.cause !== 'temporarily-unavailable') this.#release(() => true);
			return;
		}
		const byId = new Map(result.entries.map((site) => [idOf(site), site]));
		for (const each of this.#waiting) {
			const id = idOf(each.site);
			each.site = (id === undefined ? undefined : byId.get(id)) ?? each.site;
		}
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
