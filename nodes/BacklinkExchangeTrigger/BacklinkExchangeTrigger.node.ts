import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { eventsSubtitle } from '../shared/descriptions/events';
import { searchSeverities } from '../shared/methods/listSearch';
import { getSites } from '../shared/methods/loadOptions';
import { builderHint } from './builderHint';
import { properties } from './parameters';
import { poll } from './poll';

/** Starts the workflow with the events that happened since the last poll. */
export class BacklinkExchangeTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Backlink Exchange Trigger',
		name: 'backlinkExchangeTrigger',
		icon: {
			light: 'file:../../icons/backlinkExchange.svg',
			dark: 'file:../../icons/backlinkExchange.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: eventsSubtitle,
		// n8n lists this trigger and the action node as one entry with this description, so it
		// describes both.
		description:
			'Starts when an offer comes in, a link breaks or an alert is raised; actions accept offers, add sites, read credits',
		defaults: { name: 'Backlink Exchange Trigger' },
		polling: true,
		builderHint,
		triggerPanel: {
			header: 'Poll the Backlink Exchange Service',
			executionsHelp: {
				inactive:
					'<b>While building your workflow</b>, click the button above: it shows the newest selected event in the account.<br /><br /><b>Once it is published</b>, n8n polls at the times you chose and starts an execution with the events of each poll. The first poll only records what is already there. All executions are in the <a data-key="executions">executions list</a>.',
				active:
					'<b>The workflow is published</b>: n8n polls at the times you chose and starts an execution with the events of each poll. All executions are in the <a data-key="executions">executions list</a>; with <i>Try Again on Failure</i>, one without items saves what has failed.<br /><br /><b>To try a change</b>, click the button above: it shows the newest selected event in the account.',
			},
			activationHint: {
				inactive:
					'Once you have finished building your workflow, publish it, and it polls regularly.',
				active: 'The workflow also starts with the events that its regular polls find.',
			},
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'backlinkExchangeApi', required: true }],
		properties,
	};

	methods = {
		listSearch: { searchSeverities },
		loadOptions: { getSites },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
