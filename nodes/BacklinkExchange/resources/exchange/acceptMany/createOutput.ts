import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { digest, type DigestLabel, groupByLabel } from '../../../../shared/formatting/digest';
import { pluralize } from '../../../../shared/formatting/message';
import { type ApiClient } from '../../../../shared/transport/apiClient';
import { createYielder } from '../../../../shared/transport/yieldToEventLoop';
import type { DeferredOutput } from '../../../operation.types';
import { type Decision, decisionToItem, needsReview } from '../decision';
import { filterUnreported } from './filterUnreported';
import type { ProcessResult } from './processOffers';

/** In the order of the lines of a digest. */
const labels: Array<DigestLabel<Decision['outcome']>> = [
	{ value: 'unknown', singular: 'outcome unknown', plural: 'outcomes unknown' },
	{ value: 'undecided', singular: 'to decide' },
	{ value: 'failed', singular: 'failed' },
	{ value: 'wouldAccept', singular: 'would be accepted' },
	{ value: 'accepted', singular: 'accepted' },
	{ value: 'skipped', singular: 'skipped' },
	{ value: 'refused', singular: 'refused' },
];

export interface OutputOptions {
	offersToReturn: string;
	isDigest: boolean;
	isSimple: boolean;
	isDryRun: boolean;
}

/**
 * Creates the items of a run.
 *
 * Decisions are deduplicated across executions, unless the user wants all of them or runs the
 * workflow manually.
 */
export function createOutput(
	context: IExecuteFunctions,
	client: ApiClient,
	result: ProcessResult,
	options: OutputOptions,
): DeferredOutput {
	const { decisions } = result;
	const isRequested = (decision: Decision) =>
		options.offersToReturn !== 'needsPerson' ||
		needsReview(decision) ||
		decision.outcome === 'wouldAccept';
	return async (isLastTry) => {
		const isDeduplicated =
			options.offersToReturn !== 'all' && context.getMode() !== 'manual' && isLastTry;
		const unreported = isDeduplicated
			? await filterUnreported(context, client, decisions)
			: decisions;
		const yieldIfBusy = createYielder();
		const items: IDataObject[] = [];
		for (const decision of unreported.filter(isRequested)) {
			items.push(decisionToItem(decision, options));
			await yieldIfBusy();
		}
		if (!options.isDigest) return items;
		const isNew = new Set(unreported);
		const older = decisions.filter((decision) => needsReview(decision) && !isNew.has(decision));
		return toDigest(items, older.length, result.stopReason, options);
	};
}

/**
 * Builds the digest item, or `[]` if there is nothing to report.
 *
 * @param olderCount earlier offers that still need review
 */
function toDigest(
	items: IDataObject[],
	olderCount: number,
	stopReason: string | undefined,
	{ isDryRun }: OutputOptions,
): IDataObject[] {
	const olderOffers = `${pluralize(olderCount, 'older offer')} still ${olderCount === 1 ? 'waits' : 'wait'} for you`;
	const closing = [
		...(olderCount === 0 ? [] : [olderOffers]),
		...(stopReason === undefined ? [] : [`Stopped early: ${stopReason}`]),
	];
	const heading = isDryRun ? 'Dry run' : undefined;
	return digest(groupByLabel('outcome', items, labels), { heading, closing });
}
