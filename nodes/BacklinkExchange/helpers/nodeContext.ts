import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/**
 * What n8n keeps for this node as long as its execution lasts: for Retry On Fail, the rounds of a loop, the tool calls of an
 * AI Agent node, and while it waits. Where n8n runs the node without an execution, as a tool of one of n8n's own agents, it
 * keeps nothing and throws; each call begins with nothing then.
 */
export function getNodeContext(context: IExecuteFunctions): IDataObject {
	try {
		return context.getContext('node') as IDataObject;
	} catch {
		return {};
	}
}
