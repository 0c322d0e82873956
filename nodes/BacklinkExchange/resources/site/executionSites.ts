import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

/** What this execution has done about a site at this node. */
export interface AddedSite {
	/** When a request to add it was last sent, in milliseconds. */
	sentAt: number;
	/** The record, once it has been seen. */
	site?: IDataObject;
}

/**
 * The sites that one execution has added at one node, so that Retry On Fail, which runs all items again, adds none twice.
 * It lives in n8n's execution data, like what was accepted (docs/decisions/0003-accept-is-paid-once.md).
 */
export class ExecutionSites {
	readonly #sites: Record<string, AddedSite>;

	constructor(context: IExecuteFunctions) {
		const ofNode = context.getContext('node');
		ofNode.sites ??= {};
		this.#sites = ofNode.sites as Record<string, AddedSite>;
	}

	recall(key: string): AddedSite | undefined {
		return Object.hasOwn(this.#sites, key) ? deepCopy(this.#sites[key]) : undefined;
	}

	sent(key: string): void {
		this.#sites[key] = { sentAt: Date.now() };
	}

	created(key: string, site: IDataObject): void {
		this.#sites[key] = { sentAt: Date.now(), site: deepCopy(site) };
	}

	/** After a request that was not carried out; an earlier one may still be in doubt. */
	declined(key: string, earlier: AddedSite | undefined): void {
		if (earlier === undefined) delete this.#sites[key];
		else this.#sites[key] = earlier;
	}
}
