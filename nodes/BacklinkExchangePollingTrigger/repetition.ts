import type { IDataObject } from 'n8n-workflow';

/** What one look gave out, kept as text for the next: n8n wraps every object in its static data in a proxy. */
interface GivenOut {
	/** ISO 8601. */
	at: string;
	items: IDataObject[];
}

/** Characters. n8n writes it all with each execution of the trigger; what is beyond is not repeated. */
const most = 500_000;

/** For the state: what a look gives out. Undefined if that is nothing. */
export function keepForNextLook(items: IDataObject[], now: number): string | undefined {
	const kept: IDataObject[] = [];
	let length = 0;
	for (const item of items) {
		length += JSON.stringify(item).length;
		if (length > most) break;
		kept.push(item);
	}
	const givenOut: GivenOut = { at: new Date(now).toISOString(), items: kept };
	return kept.length === 0 ? undefined : JSON.stringify(givenOut);
}

/**
 * What the look before gave out, once more: each with the time of that look in `givenOutAt`. n8n saves that an event was
 * given out, and then starts the execution; if it is stopped in between, or the execution is, nobody has worked on it.
 * @param kept what `keepForNextLook` returned; nothing is repeated of anything else
 */
export function repetitions(kept: unknown): IDataObject[] {
	if (typeof kept !== 'string') return [];
	try {
		const { at, items } = JSON.parse(kept) as GivenOut;
		return items.map((item) => ({ ...item, givenOutAt: at }));
	} catch {
		return [];
	}
}
