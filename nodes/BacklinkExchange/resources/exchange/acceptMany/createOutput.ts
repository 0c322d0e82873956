import type { IDataObject } from 'n8n-workflow';

import { digest, type DigestLabel, groupByLabel } from '../../../../shared/formatting/digest';
import { pluralize } from '../../../../shared/formatting/message';
import { createYielder } from '../../../../shared/transport/yieldToEventLoop';
import type { DeferredOutput, OperationContext } from '../../../operation.types';
import { type Decision, decisionToItem, requiresReview } from '../decision';
import type { RunResult } from './acceptOffers';
import { filterUnreported } from './filterUnreported';

/** In the order of the lines of a digest. */
const labels: Array<DigestLabel<Decision['outcome']>> = [
	{ value: 'unknown', singular: 'outcome unknown', plural: 'outcomes unknown' },
	{ value: 'needsReview', singular: 'needs review', plural: 'need review' },
	{ value: 'failed', singular: 'not accepted' },
	{ value: 'wouldAccept', singular: 'would be accepted' },
	{ value: 'accepted', singular: 'accepted' },
	{ value: 'skipped', singular: 'skipped' },
	{ value: 'blocked', singular: 'blocked' },
];

export interface OutputOptions {
	offersToReturn: string;
	isDigest: boolean;
}

/**
 * Creates the items of a run.
 *
 * Decisions are deduplicated across executions, unless the user wants all of them or runs the
 * workflow manually.
 */
export function createOutput(
	{ context, client, hint }: OperationContext,
	result: RunResult,
	options: OutputOptions & { isDryRun: boolean },
): DeferredOutput {
	const { decisions } = result;
	const isRequested = (decision: Decision) =>
		options.offersToReturn !== 'needsReview' ||
		requiresReview(decision) ||
		decision.outcome === 'wouldAccept';
	return async (isLastTry) => {
		const isDeduplicated =
			options.offersToReturn !== 'all' && context.getMode() !== 'manual' && isLastTry;
		const unreported = isDeduplicated
			? await filterUnreported(context, client, decisions)
			: decisions;
		const isNew = new Set(unreported);
		const earlier = decisions.filter((decision) => !isNew.has(decision));
		const omittedCount = earlier.filter(isRequested).length;
		if (omittedCount > 0) hint('omitted', getOmittedHint(omittedCount));
		const yieldIfBusy = createYielder();
		const items: IDataObject[] = [];
		for (const decision of unreported.filter(isRequested)) {
			items.push(decisionToItem(decision));
			await yieldIfBusy();
		}
		if (!options.isDigest) return items;
		const olderCount = earlier.filter(requiresReview).length;
		return toDigest(items, olderCount, result.stopReason, options);
	};
}

/** Counts the decisions that earlier executions have returned. */
function getOmittedHint(count: number): string {
	const subject = count === 1 ? '1 offer was' : `${count} offers were`;
	return `${subject} left out, because earlier executions returned the same decision. To return all pending offers, set 'Offers to Return' to 'All'.`;
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
	{ isDryRun }: { isDryRun: boolean },
): IDataObject[] {
	const olderOffers = `${pluralize(olderCount, 'earlier offer')} still ${olderCount === 1 ? 'needs' : 'need'} your review.`;
	const closing = [
		...(olderCount === 0 ? [] : [olderOffers]),
		...(stopReason === undefined ? [] : [`No further offer was accepted: ${stopReason}.`]),
	];
	const heading = isDryRun ? 'Dry run' : undefined;
	return digest(groupByLabel('outcome', items, labels), { heading, closing });
}
