import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { eventsSubtitle } from '../shared/descriptions/eventsField';
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
			'Starts the workflow on new offers, alerts and link changes. Use its actions to accept offers and add sites.',
		defaults: { name: 'Backlink Exchange Trigger' },
		polling: true,
		builderHint,
		triggerPanel: {
			header: 'Poll the Backlink Exchange Service',
			executionsHelp: {
				inactive:
					'<b>To build your workflow</b>, click the button above. It fetches the newest event of your account among those that you selected.<br /><br /><b>To use it</b>, publish the workflow. n8n then polls at the times that you chose, and starts one execution with the events of each poll. The first poll of an account only records what is already there, so only new events start the workflow.<br /><br />All executions are in the <a data-key="executions">executions list</a>.',
				active:
					'<b>The workflow is published</b>. n8n polls at the times that you chose, and starts one execution with the events of each poll. All executions are in the <a data-key="executions">executions list</a>.<br /><br /><b>To test a change</b>, click the button above. It fetches the newest event of your account among those that you selected.',
			},
			activationHint: {
				inactive:
					'Publish the workflow as soon as it is finished. Then it polls at the times that you chose.',
				active: 'The workflow also starts with the events that its regular polls find.',
			},
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'backlinkExchangeApi', required: true }],
		// A copy, because n8n adds Poll Times to this array whenever it loads the class.
		properties: [...properties],
	};

	methods = {
		loadOptions: { getSites },
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
