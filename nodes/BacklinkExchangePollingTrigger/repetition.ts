import type { IDataObject } from 'n8n-workflow';

/** Characters. n8n writes it all with each execution of the trigger; what is beyond is not repeated. */
const most = 500_000;

/** What a look gives out, as text for the state: n8n wraps every object in its static data in a proxy. */
export function keepForNextLook(items: IDataObject[]): string | undefined {
	const kept: IDataObject[] = [];
	let length = 0;
	for (const item of items) {
		length += JSON.stringify(item).length;
		if (length > most) break;
		kept.push(item);
	}
	return kept.length === 0 ? undefined : JSON.stringify(kept);
}

/**
 * What the look before gave out, once more. n8n saves that an event was given out, and then starts the execution; if it is
 * stopped in between, or the execution is, nobody has worked on it.
 * @param kept what `keepForNextLook` returned; nothing is repeated of anything else
 */
export function repetitions(kept: unknown): IDataObject[] {
	if (typeof kept !== 'string') return [];
	try {
		return JSON.parse(kept) as IDataObject[];
	} catch {
		return [];
	}
}
