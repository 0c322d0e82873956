import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testCredential } from '../shared/credentialTest';
import { poll } from './poll';
import { properties } from './settings';

/** Starts a workflow on what happened since the last poll, and again until it has succeeded. */
export class BacklinkExchangePollingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Backlink Exchange Polling Trigger',
		name: 'backlinkExchangePollingTrigger',
		icon: {
			light: 'file:../../icons/backlinkExchange.svg',
			dark: 'file:../../icons/backlinkExchange.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: '={{ $parameter["events"].join(", ") }}',
		description:
			'Starts the workflow on events of the Backlink Exchange Service that it finds by polling, and again until it has succeeded',
		defaults: { name: 'Backlink Exchange Polling Trigger' },
		polling: true,
		triggerPanel: {
			header: 'Poll the Backlink Exchange Service',
			executionsHelp: {
				inactive:
					'<b>While building your workflow</b>, click the button above: it shows the newest event that there is in the account, of those you chose.<br /><br /><b>Once it is published</b>, n8n polls at the times you chose and starts the workflow with what has happened since: one execution for each event, and another one if that fails. The first poll only takes note of what is there. Those executions are in the <a data-key="executions">executions list</a>.',
				active:
					'<b>The workflow is published</b>: n8n polls at the times you chose and starts it with what has happened since: one execution for each event, and another one if that fails. One without items only writes down what is done. Those executions are in the <a data-key="executions">executions list</a>.<br /><br /><b>To try a change</b>, click the button above: it shows the newest event that there is in the account, of those you chose.',
			},
			activationHint: {
				inactive:
					'Once you have finished building your workflow, publish it to have it poll regularly.',
				active: 'The workflow also starts with what n8n finds at its regular polls.',
			},
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'backlinkExchangeApi', required: true, testedBy: 'testCredential' }],
		properties,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
