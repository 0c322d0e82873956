import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testCredential } from '../shared/credentialTest';
import { properties } from './description';
import { poll } from './poll';

/** Starts a workflow on what happened since the last look: catches up what the webhook could not deliver. */
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
			'Starts the workflow on events of the Backlink Exchange Service that it finds by looking regularly',
		defaults: { name: 'Backlink Exchange Polling Trigger' },
		polling: true,
		triggerPanel: {
			header: 'Look for events of the Backlink Exchange Service',
			executionsHelp: {
				inactive:
					'<b>While building your workflow</b>, click the button above: it shows the newest event that there is in the account, of those you chose.<br /><br /><b>Once it is published</b>, n8n looks at the times you chose and starts the workflow with what has happened since. The first look only takes note of what is there. Those executions are in the <a data-key="executions">executions list</a>.',
				active:
					'<b>The workflow is published</b>: n8n looks at the times you chose and starts it with what has happened since. Those executions are in the <a data-key="executions">executions list</a>.<br /><br /><b>To try a change</b>, click the button above: it shows the newest event that there is in the account, of those you chose.',
			},
			activationHint: {
				inactive:
					'Once you have finished building your workflow, publish it to have it look regularly.',
				active: 'The workflow also starts with what n8n finds at its regular looks.',
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
