import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { digest, type DigestLabel, partsBy } from '../../../../shared/formatting/digest';
import { several } from '../../../../shared/formatting/message';
import { type ApiClient } from '../../../../shared/transport/apiClient';
import { createYielder } from '../../../../shared/transport/yieldToEventLoop';
import type { Emit } from '../../../operation.types';
import { type Decision, needsPerson, toItem } from '../decision';
import { notShownBefore } from './filterUnreported';
import type { Decided } from './processOffers';

/** The outcomes in the order of a digest. */
const labels: Array<DigestLabel<Decision['outcome']>> = [
	['unknown', 'outcome unknown', 'outcomes unknown'],
	['undecided', 'to decide'],
	['failed', 'failed'],
	['wouldAccept', 'would be accepted'],
	['accepted', 'accepted'],
	['skipped', 'skipped'],
	['refused', 'refused'],
];

/** What the user wants to see. */
export interface View {
	/** The value of the field Return. */
	returned: string;
	isDigest: boolean;
	isSimple: boolean;
	isDryRun: boolean;
}

/** Makes the items of a run: each decision once, unless the user wants all of them or looks by hand. */
export function report(
	context: IExecuteFunctions,
	connection: ApiClient,
	decided: Decided,
	view: View,
): Emit {
	const { decisions } = decided;
	const isWanted = (decision: Decision) =>
		view.returned !== 'needsPerson' || needsPerson(decision) || decision.outcome === 'wouldAccept';
	return async (isFinal) => {
		const isOnce = view.returned !== 'all' && context.getMode() !== 'manual' && isFinal;
		const fresh = isOnce ? await notShownBefore(context, connection, decisions) : decisions;
		const yieldIfBusy = createYielder();
		const items: IDataObject[] = [];
		for (const decision of fresh.filter(isWanted)) {
			items.push(toItem(decision, view));
			await yieldIfBusy();
		}
		if (!view.isDigest) return items;
		const isNew = new Set(fresh);
		const older = decisions.filter((decision) => needsPerson(decision) && !isNew.has(decision));
		return oneItem(items, older.length, decided.end, view);
	};
}

/** The digest of a run; none where there is nothing to tell. @param older offers that still wait for a person */
function oneItem(
	items: IDataObject[],
	older: number,
	end: string | undefined,
	{ isDryRun }: View,
): IDataObject[] {
	const waits = `${several(older, 'older offer')} still ${older === 1 ? 'waits' : 'wait'} for you`;
	const closing = [
		...(older === 0 ? [] : [waits]),
		...(end === undefined ? [] : [`Stopped early: ${end}`]),
	];
	const heading = isDryRun ? 'Dry run' : undefined;
	return digest(partsBy('outcome', items, labels), { heading, closing });
}
