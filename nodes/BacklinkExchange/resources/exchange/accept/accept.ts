import type { INodeProperties } from 'n8n-workflow';

import { isErrorResult } from '../../../../shared/errors';
import outputSchema from '../../../__schema__/v1.0.0/exchange/accept.json';
import { getOptionalNumber, simplify } from '../../../commonOptions';
import type { Operation } from '../../../operation.types';
import { decisionToItem } from '../decision';
import { exchangeLocator, getExchangeId } from '../exchangeLocator';
import { type AcceptLimits, noMinimumBalance } from './accept.types';
import { acceptOffer, createAcceptSession } from './acceptOffer';

export const notice: INodeProperties = {
	displayName:
		'This spends credits. Limit it with Max Accepts and Minimum Balance; try it safely with Dry Run. If an AI agent uses this as a tool, put a human review step in front of it.',
	name: 'spendingNotice',
	type: 'notice',
	default: '',
};

const exchange = exchangeLocator('searchPendingOffers', {
	description: 'The exchange offer to accept. Accepting spends credits.',
	placeholder: 'Select a pending offer…',
	hint: 'The "id" of an exchange. In an event of a trigger, it is in "data".',
});

export const dryRun: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: false,
	description:
		'Whether to check everything without accepting. No credits are spent, and the outcome is "wouldAccept", or "skipped" with the reason.',
};

export const maxAccepts: INodeProperties = {
	displayName: 'Max Accepts',
	name: 'maxAccepts',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: '',
	placeholder: 'e.g. 5',
	description:
		'Maximum number of offers that this node accepts in one execution, including the rounds of a loop, retries and tool calls of an AI Agent node. Further offers are skipped. A sub-workflow has a count of its own. Without this option there is no limit.',
};

export const minimumBalance: INodeProperties = {
	displayName: 'Minimum Balance',
	name: 'minimumBalance',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: '',
	placeholder: 'e.g. 50',
	description:
		'Keep at least this many credits. Prices are not shown in advance: the first accept after n8n has started may go below this number; after that, the highest price seen has to fit. While the balance does not show the cost of an earlier accept, offers are skipped.',
};

/** POST /exchanges/:id/accept (service-api.md, "Endpoints"), sent by `acceptOffer`. */
export const accept: Operation<{ id: string; limits: AcceptLimits; isSimple: boolean }> = {
	value: 'accept',
	name: 'Accept',
	action: 'Accept exchange offer (spends credits)',
	description:
		'Accept an incoming exchange offer. Credits are deducted when the service confirms it.',
	outputSchema,
	usageHint: [
		"Let a person approve first: Backlink Exchange Trigger 'New offer' with events ['exchange.requested'] → Slack sendAndWait (approvalType 'double') → If {{ $json.data.approved }} is true → accept with exchangeId { __rl: true, mode: 'id', value: expr(\"{{ $('New offer').item.json.data.id }}\") }. As an agent's tool: behind a human review tool, with options maxAccepts and minimumBalance.",
		'An outcome that cannot be seen is an error.',
	].join('\n'),
	properties: [notice, exchange, dryRun, simplify],
	options: [maxAccepts, minimumBalance],
	sequential: true,
	getParameters(parameters) {
		const idHint =
			'. Choose a pending offer from the list, or enter an ID, such as {{ $json.id }} after "Get many exchanges"';
		const options = parameters.collection();
		return {
			id: getExchangeId(parameters, exchange, idHint),
			limits: {
				dryRun: parameters.boolean(dryRun),
				maxAccepts: getOptionalNumber(options, maxAccepts, Infinity),
				minimumBalance: getOptionalNumber(options, minimumBalance, noMinimumBalance),
			},
			isSimple: parameters.boolean(simplify),
		};
	},
	createHandler({ context, client }) {
		const session = createAcceptSession(context, client);
		return {
			async executeItem({ id, limits, isSimple }) {
				const result = await acceptOffer(session, id, limits);
				return isErrorResult(result) ? result : [decisionToItem(result, { isSimple })];
			},
		};
	},
};
