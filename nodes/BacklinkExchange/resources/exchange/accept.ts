import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { type Explanation, isExplanation, resultOrThrow } from '../../../shared/explanation';
import { whyNotASegment } from '../../../shared/path';
import type { Operation, Run } from '../../operation';
import { acceptOnce, type AcceptResult, type AcceptRun, type AcceptSettings } from './acceptOnce';
import { CreditGuard } from './creditGuard';

const fields: INodeProperties[] = [
	{
		displayName: 'Exchange',
		name: 'exchangeId',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: 'The exchange offer to accept. Accepting spends credits.',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a pending offer…',
				typeOptions: { searchListMethod: 'searchPendingOffers', searchable: true },
			},
			{
				displayName: 'ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. exc_1a2b3c',
				hint: 'The field "id" of an exchange or of the event exchange.requested',
			},
		],
	},
];

const options: INodeProperties[] = [
	{
		displayName: 'Check First',
		name: 'checkFirst',
		type: 'boolean',
		default: true,
		description:
			'Whether to look at the list of exchanges before accepting, so that an offer that is accepted already is reported as such and not sent again',
	},
	{
		displayName: 'Max Accepts',
		name: 'maxAccepts',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 0,
		description:
			'How many offers to accept in one run at most. Further ones are skipped. 0 means no limit.',
	},
	{
		displayName: 'Minimum Balance',
		name: 'minimumBalance',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 0,
		description:
			'Credits to keep: an offer is skipped when the balance is not above this number, or would fall below it by what offers have cost in this run. The service does not tell the price of an offer beforehand.',
	},
	{
		displayName: 'Retry Unconfirmed',
		name: 'retryUnconfirmed',
		type: 'boolean',
		default: false,
		description:
			'Whether to send the request once more when the first one was interrupted and the offer is still pending afterwards',
	},
];

/**
 * POST /exchanges/:id/accept (service-api.md, "Endpoints"). Spends credits, so it is sent once and its outcome is looked
 * up when the answer does not tell (docs/decisions/0003-accept-is-paid-once.md).
 */
export const accept: Operation = {
	value: 'accept',
	name: 'Accept',
	action: 'Accept exchange offer (spends credits)',
	description:
		'Accept an incoming exchange offer. Credits are deducted when the service confirms it.',
	fields,
	options,
	oneAtATime: true,
	begin(run) {
		const { context, connection } = run;
		const credits = new CreditGuard(connection);
		const results = new Map<string, AcceptResult | Explanation>();
		const accepts: AcceptRun = { startedAt: Date.now(), mayHaveSpent: 0 };
		let already = 0;

		return async (itemIndex) => {
			const id = readId(run, itemIndex);
			let result = results.get(id);
			if (result === undefined) {
				const settings = readSettings(run, itemIndex);
				result = await acceptOnce(connection, id, settings, credits, accepts);
				results.set(id, result);
				if (isExplanation(result) ? result.mayHaveSpent : result.outcome === 'accepted') {
					accepts.mayHaveSpent++;
				}
				if (!isExplanation(result) && result.outcome === 'alreadyAccepted') already++;
				if (already > 0) run.hint('alreadyAccepted', alreadyHint(already));
			}
			return [toItem(resultOrThrow(context.getNode(), result, itemIndex))];
		};
	},
};

/** The fields in the order in which the editor shows them. */
function toItem(result: AcceptResult): IDataObject {
	const { id, outcome, confirmedBy, reason, creditsSpent, balance, exchange } = result;
	const fields = { id, outcome, confirmedBy, reason, creditsSpent, balance, exchange };
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function alreadyHint(count: number): string {
	return count === 1
		? 'One offer was accepted already; nothing was spent on it in this run.'
		: `${count} offers were accepted already; nothing was spent on them in this run.`;
}

/** The exchange's id, refused before any request when it cannot be one. */
function readId({ context }: Run, itemIndex: number): string {
	const value = context.getNodeParameter('exchangeId', itemIndex, '', { extractValue: true });
	const id = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	const reason = whyNotASegment(id);
	if (reason !== undefined) {
		throw new NodeOperationError(
			context.getNode(),
			id === '' ? 'No exchange is chosen' : `"${id}" is not the ID of an exchange: ${reason}`,
			{
				itemIndex,
				description:
					'Choose a pending offer from the list, or enter an ID, for example with the expression {{ $json.id }} after "Get many exchanges".',
			},
		);
	}
	return id;
}

function readSettings({ context }: Run, itemIndex: number): AcceptSettings {
	const values = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	return {
		checkFirst: values.checkFirst !== false,
		retryUnconfirmed: values.retryUnconfirmed === true,
		maxAccepts: Number(values.maxAccepts ?? 0),
		...(values.minimumBalance !== undefined && { minimumBalance: Number(values.minimumBalance) }),
	};
}
