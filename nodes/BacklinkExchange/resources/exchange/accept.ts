import type { INodeProperties } from 'n8n-workflow';

import { type Explanation, isExplanation, resultOrThrow } from '../../../shared/explanation';
import { whyNotASegment } from '../../../shared/path';
import type { Settings } from '../../../shared/settings';
import type { Operation } from '../../operation';
import { acceptOnce } from './acceptOnce';
import { type AcceptResult, toItem } from './acceptResult';
import { CreditGuard } from './creditGuard';
import { ExecutionAccepts } from './executionAccepts';
import type { AcceptSettings } from './offer';

const notice: INodeProperties = {
	displayName:
		'This spends credits. Max Accepts and Minimum Balance bound how many, Dry Run tries it out without spending. Before you give this to an AI agent as a tool, put a human review step in front of it.',
	name: 'spendingNotice',
	type: 'notice',
	default: '',
};

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

const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description:
		'Whether to check everything but not accept: the outcome is "wouldAccept", or "skipped" with the reason, and no credits are spent',
};

const maxAccepts: INodeProperties = {
	displayName: 'Max Accepts',
	name: 'maxAccepts',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description:
		'How many offers to accept at most per execution: items, rounds of a loop, second tries and tool calls of an AI agent together. Further ones are skipped. 0 means no limit.',
};

const minimumBalance: INodeProperties = {
	displayName: 'Minimum Balance',
	name: 'minimumBalance',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 0,
	description:
		'Credits to keep: an offer is skipped when the balance is not above this number, or would fall below it by what offers have cost in this execution. The service does not tell the price of an offer beforehand.',
};

const retryUnconfirmed: INodeProperties = {
	displayName: 'Retry Unconfirmed',
	name: 'retryUnconfirmed',
	type: 'boolean',
	default: false,
	description:
		'Whether to send the request once more when the first one got no clear answer and the offer is still pending a minute later. The node waits for that minute.',
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
	fields: [notice, exchange],
	options: [checkFirst, dryRun, maxAccepts, minimumBalance, retryUnconfirmed],
	// So that the bounds on spending are in sight. 0 is what they mean when they are not set; the balance is then watched too.
	shownOptions: { maxAccepts: 0, minimumBalance: 0 },
	oneAtATime: true,
	read: (settings) => ({ id: readId(settings), settings: readSettings(settings.collection()) }),
	begin({ context, connection, hint }) {
		const execution = new ExecutionAccepts(context);
		const credits = new CreditGuard(connection, execution);
		const results = new Map<string, AcceptResult | Explanation>();
		let already = 0;
		let refused = 0;

		return {
			async handle({ id, settings }, itemIndex) {
				const request = JSON.stringify([id, settings]);
				let result = results.get(request);
				if (result === undefined) {
					result = await acceptOnce({ connection, credits, execution }, id, settings);
					results.set(request, result);
					if (!isExplanation(result) && result.outcome === 'alreadyAccepted') {
						if (result.reason === undefined) already++;
						else refused++;
					}
					if (already > 0) hint('alreadyAccepted', alreadyHint(already));
					if (refused > 0) hint('refused', refusedHint(refused));
				}
				return [toItem(resultOrThrow(context.getNode(), result, itemIndex))];
			},
		};
	},
};

function alreadyHint(count: number): string {
	return count === 1 ? 'One offer was accepted already.' : `${count} offers were accepted already.`;
}

function refusedHint(count: number): string {
	const offers = count === 1 ? 'One offer is' : `${count} offers are`;
	return `${offers} accepted although the service refused the request. Who accepted is not known: see "reason".`;
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
		dryRun: options.boolean(dryRun),
		retryUnconfirmed: options.boolean(retryUnconfirmed),
		maxAccepts: options.number(maxAccepts),
		...(options.has(minimumBalance) && { minimumBalance: options.number(minimumBalance) }),
	};
}
