import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { type Explanation, isExplanation, resultOrThrow } from '../../../shared/explanation';
import { whyNotASegment } from '../../../shared/path';
import type { Settings } from '../../../shared/settings';
import type { Operation } from '../../operation';
import { acceptOnce, type AcceptResult, type AcceptRun, type AcceptSettings } from './acceptOnce';
import { CreditGuard } from './creditGuard';

const exchange: INodeProperties = {
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
};

const checkFirst: INodeProperties = {
	displayName: 'Check First',
	name: 'checkFirst',
	type: 'boolean',
	default: true,
	description:
		'Whether to look at the list of exchanges before accepting, so that an offer that is accepted already is reported as such and not sent again',
};

const maxAccepts: INodeProperties = {
	displayName: 'Max Accepts',
	name: 'maxAccepts',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description:
		'How many offers to accept in one run at most. Further ones are skipped. 0 means no limit.',
};

const minimumBalance: INodeProperties = {
	displayName: 'Minimum Balance',
	name: 'minimumBalance',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description:
		'Credits to keep: an offer is skipped when the balance is not above this number, or would fall below it by what offers have cost in this run. The service does not tell the price of an offer beforehand.',
};

const retryUnconfirmed: INodeProperties = {
	displayName: 'Retry Unconfirmed',
	name: 'retryUnconfirmed',
	type: 'boolean',
	default: false,
	description:
		'Whether to send the request once more when the first one was interrupted and the offer is still pending afterwards',
};

/**
 * POST /exchanges/:id/accept (service-api.md, "Endpoints"). Spends credits, so it is sent once and its outcome is looked
 * up when the answer does not tell (docs/decisions/0003-accept-is-paid-once.md).
 */
export const accept: Operation<{ id: string; settings: AcceptSettings }> = {
	value: 'accept',
	name: 'Accept',
	action: 'Accept exchange offer (spends credits)',
	description:
		'Accept an incoming exchange offer. Credits are deducted when the service confirms it.',
	fields: [exchange],
	options: [checkFirst, maxAccepts, minimumBalance, retryUnconfirmed],
	oneAtATime: true,
	read: (settings) => ({ id: readId(settings), settings: readSettings(settings.collection()) }),
	begin({ context, connection, hint }) {
		const credits = new CreditGuard(connection);
		const results = new Map<string, AcceptResult | Explanation>();
		const accepts: AcceptRun = { startedAt: Date.now(), mayHaveSpent: 0 };
		let already = 0;

		return {
			async handle({ id, settings }, itemIndex) {
				let result = results.get(id);
				if (result === undefined) {
					result = await acceptOnce(connection, id, settings, credits, accepts);
					results.set(id, result);
					if (isExplanation(result) ? result.mayHaveSpent : result.outcome === 'accepted') {
						accepts.mayHaveSpent++;
					}
					if (!isExplanation(result) && result.outcome === 'alreadyAccepted') already++;
					if (already > 0) hint('alreadyAccepted', alreadyHint(already));
				}
				return [toItem(resultOrThrow(context.getNode(), result, itemIndex))];
			},
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
function readId(settings: Settings): string {
	const id = settings.text(
		exchange,
		'the ID of an exchange: choose a pending offer from the list, or enter an ID, for example with the expression {{ $json.id }} after "Get many exchanges"',
	);
	const reason = whyNotASegment(id);
	if (reason === undefined) return id;
	throw settings.refuse(exchange, id, `the ID of an exchange; ${reason}`);
}

function readSettings(options: Settings): AcceptSettings {
	return {
		checkFirst: options.boolean(checkFirst),
		retryUnconfirmed: options.boolean(retryUnconfirmed),
		maxAccepts: options.number(maxAccepts),
		...(options.has(minimumBalance) && { minimumBalance: options.number(minimumBalance) }),
	};
}
