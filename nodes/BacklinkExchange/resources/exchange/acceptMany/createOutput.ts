import type { IDataObject } from 'n8n-workflow';

import { digest, type DigestLabel, groupByLabel } from '../../../../shared/formatting/digest';
import { createYielder } from '../../../../shared/transport/yieldToEventLoop';
import type { DeferredOutput, OperationContext } from '../../../operation.types';
import {
	type Decision,
	decisionToItem,
	digestAdvice,
	formatDecisionLine,
	requiresReview,
} from '../decision';
import type { RunResult } from './acceptOffers';
import { filterUnreported } from './filterUnreported';
import { formatReachedLimits } from './runHint';

/** In the order of the lines of a digest: first what cost money. */
const labels: Array<DigestLabel<Decision['outcome']>> = [
	{ value: 'accepted', singular: 'accepted' },
	{ value: 'unknown', singular: 'outcome unknown', plural: 'outcomes unknown' },
	{ value: 'failed', singular: 'not accepted' },
	{ value: 'wouldAccept', singular: 'would be accepted' },
	{ value: 'needsReview', singular: 'needs review', plural: 'need review' },
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
		const requested = decisions.filter(isRequested);
		const returned = isDeduplicated
			? await filterUnreported(context, client, requested)
			: requested;
		const omittedCount = requested.length - returned.length;
		if (omittedCount > 0) hint('omitted', getOmittedHint(omittedCount));
		const yieldIfBusy = createYielder();
		const items: IDataObject[] = [];
		for (const decision of returned) {
			items.push(decisionToItem(decision));
			await yieldIfBusy();
		}
		if (!options.isDigest) return items;
		const closing = createClosing(returned, result);
		const lines = new Map(items.map((item, index) => [item, formatLine(returned[index])]));
		return toDigest(items, { closing, lines, isDryRun: options.isDryRun });
	};
}

/** Counts the decisions that earlier executions have returned. */
function getOmittedHint(count: number): string {
	const subject = count === 1 ? '1 offer was' : `${count} offers were`;
	return `${subject} left out, because earlier executions returned the same decision. To return all pending offers, set 'Offers to Return' to 'All'.`;
}

/**
 * Creates the last lines of a digest: what to do, what is still open, and which limit ended the
 * run. The message of an only item already says what to do, and which limit was reached.
 */
function createClosing(
	returned: readonly Decision[],
	{ decisions, stopReason }: RunResult,
): string[] {
	const outcomes = new Set(returned.map(({ outcome }) => outcome));
	const isOnly = returned.length === 1;
	const advice = isOnly ? [] : [...outcomes].flatMap((outcome) => digestAdvice[outcome] ?? []);
	const reached = isOnly && outcomes.has('skipped') ? undefined : formatReachedLimits(decisions);
	return [
		...(advice.length === 0 ? [] : [advice.join(' ')]),
		...(stopReason === undefined ? [] : [`No further offer was accepted: ${stopReason}.`]),
		...(reached === undefined ? [] : [reached]),
	];
}

function formatLine(decision: Decision | undefined): string {
	return decision === undefined ? '' : formatDecisionLine(decision);
}

/** Builds the digest item, or `[]` if there is nothing to report. */
function toDigest(
	items: IDataObject[],
	options: { closing: string[]; lines: ReadonlyMap<IDataObject, string>; isDryRun: boolean },
): IDataObject[] {
	const { closing, lines, isDryRun } = options;
	const parts = groupByLabel('outcome', items, labels).map((part) => ({
		...part,
		lines: part.items.map((item) => lines.get(item) ?? ''),
	}));
	return digest(parts, { heading: isDryRun ? 'Dry run' : undefined, closing });
}
