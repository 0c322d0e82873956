/** One poll as the trigger does it, with what it remembers written down and read again. */
import type { IDataObject } from 'n8n-workflow';

import { compare } from '../../../nodes/BacklinkExchangeTrigger/changes.ts';
import { fromText, toText } from '../../../nodes/BacklinkExchangeTrigger/memory.ts';

export type Memory = ReturnType<typeof fromText>;

interface Shown {
	exchanges?: Map<string, IDataObject>;
	alerts?: IDataObject[];
	credits?: IDataObject;
}

/** @param leave of the changed records, those that are left for the next poll */
export function comparePoll(
	shown: Shown,
	before: Memory,
	leave: (record: IDataObject) => boolean = () => false,
) {
	const comparison = compare(shown, before, 50);
	const { changes, isLasting } = comparison;
	const left = new Set(changes.map(({ data }) => data).filter(leave));
	const memory = comparison.remember(left);
	const text = toText(memory);
	return {
		changes: changes.filter(({ data }) => !left.has(data)),
		memory: fromText(text),
		text,
		isLasting,
	};
}

/** What is remembered after a poll that showed nothing. */
export function rememberedOf(shown: Shown): Memory {
	return comparePoll(shown, {}).memory;
}
