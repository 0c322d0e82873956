import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/**
 * Returns the node context: data that n8n keeps for this node as long as the execution lasts.
 *
 * It is the same for Retry On Fail, the rounds of a loop and the tool calls of an AI Agent node,
 * and it outlasts a wait. If n8n runs the node without an execution, as a tool of one of n8n's own
 * agents, it has no context and throws; then each call starts with an empty one.
 */
export function getNodeContext(context: IExecuteFunctions): IDataObject {
	try {
		return context.getContext('node') as IDataObject;
	} catch {
		return {};
	}
}
