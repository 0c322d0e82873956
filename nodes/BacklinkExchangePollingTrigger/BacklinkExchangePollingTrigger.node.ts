import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { credentialName } from '../shared/connection';
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
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: credentialName, required: true }],
		properties,
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await poll(this);
	}
}
