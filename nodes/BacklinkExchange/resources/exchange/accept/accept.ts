import type { INodeProperties } from 'n8n-workflow';

import { includeRecord } from '../../../../shared/descriptions/includeRecord';
import outputSchema from '../../../__schema__/v1.0.0/exchange/accept.json';
import { getOptionalNumber } from '../../../commonOptions';
import type { Operation } from '../../../operation.types';
import { decisionToItem } from '../decision';
import { exchangeLocator, getExchangeId } from '../exchangeLocator';
import { type AcceptOptions, noMinimumBalance } from './accept.types';
import { acceptOffer, createAcceptSession } from './acceptOffer';

const exchange = exchangeLocator('searchPendingOffers', {
	description: 'The offer to accept. Accepting an offer spends credits.',
	placeholder: 'Select a pending offer…',
	hint: "The 'exchangeId' of an exchange or of a trigger's item",
});

export const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description:
		'Whether to only check if the offer would be accepted. The outcome is wouldAccept or skipped, and no credits are spent.',
};

export const maxAccepts: INodeProperties = {
	displayName: 'Max Accepts',
	name: 'maxAccepts',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: '',
	placeholder: 'e.g. 5',
	description:
		'Maximum number of offers that this node accepts per execution, including loops and retries. Further offers are skipped. Without this option, there is no maximum.',
};

export const minimumBalance: INodeProperties = {
	displayName: 'Minimum Balance',
	name: 'minimumBalance',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: '',
	placeholder: 'e.g. 50',
	description:
		'Offers are accepted only while the balance is above this number. The last one can take it below, and so can charges that come more than 10 seconds later.',
};

interface Input {
	id: string;
	options: AcceptOptions;
}

/** POST /exchanges/:id/accept (service-api.md, "Endpoints"), sent by `acceptOffer`. */
export const accept: Operation<Input> = {
	value: 'accept',
	name: 'Accept',
	action: 'Accept offer (spends credits)',
	description: 'Accept an offer from a partner',
	outputSchema,
	usageHint: [
		"To ask for approval first, connect Backlink Exchange Trigger 'New offer' with events ['exchange.requested'] and options { outputFormat: 'executions' } → Slack sendAndWait (approvalType 'double') → If {{ $json.data.approved }} is true → accept with exchangeId { __rl: true, mode: 'id', value: expr(\"{{ $('New offer').item.json.exchangeId }}\") }. If an AI agent uses accept as a tool, put a human review tool between them, and set options maxAccepts and minimumBalance.",
		"If the node can't confirm whether the offer was accepted, the item fails with the code outcome_unknown. Credits may have been spent.",
	].join('\n'),
	properties: [exchange, dryRun],
	options: [includeRecord, maxAccepts, minimumBalance],
	sequential: true,
	getParameters(parameters) {
		const idHint =
			'Choose a pending offer from the list, or enter an ID, for example {{ $json.exchangeId }} after "Get many exchanges".';
		// A limit that was added and left empty would silently have no effect.
		const options = parameters.collection(undefined, { ignoreBlank: false });
		return {
			id: getExchangeId(parameters, exchange, idHint),
			options: {
				dryRun: parameters.boolean(dryRun),
				maxAccepts: getOptionalNumber(options, maxAccepts, Infinity),
				minimumBalance: getOptionalNumber(options, minimumBalance, noMinimumBalance),
				includesRecord: options.boolean(includeRecord),
			},
		};
	},
	createHandler({ context, client }) {
		const session = createAcceptSession(context, client);
		return {
			async executeItem({ id, options }) {
				return [decisionToItem(await acceptOffer(session, id, options))];
			},
		};
	},
};
