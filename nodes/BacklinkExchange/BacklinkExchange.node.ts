import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';

import { errorMessages } from '../shared/errorMessages';
import * as listSearch from '../shared/methods/listSearch';
import { getSites } from '../shared/methods/loadOptions';
import { builderHint } from './builderHint';
import { nodeHints } from './nodeHints';
import { buildProperties, buildSubtitle, findOperation } from './resources';
import { runOperation } from './runOperation';

/** Programmatic, not declarative: docs/decisions/0001-programmatic-action-node.md. */
export class BacklinkExchange implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Backlink Exchange',
		name: 'backlinkExchange',
		icon: {
			light: 'file:../../icons/backlinkExchange.svg',
			dark: 'file:../../icons/backlinkExchange.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: buildSubtitle(),
		description: 'Manage sites, exchange offers, credits and alerts',
		defaults: { name: 'Backlink Exchange' },
		usableAsTool: true,
		builderHint,
		hints: nodeHints,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'backlinkExchangeApi', required: true }],
		properties: buildProperties(),
	};

	methods = { listSearch, loadOptions: { getSites } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0) as string;
		const value = this.getNodeParameter('operation', 0) as string;
		const operation = findOperation(resource, value);
		if (operation === undefined) {
			throw new NodeOperationError(
				this.getNode(),
				errorMessages.unknownOperation(resource, value),
				{
					description: "Select 'Resource' and 'Operation' again in the node. No request was sent.",
				},
			);
		}
		return [await runOperation(this, operation)];
	}
}
