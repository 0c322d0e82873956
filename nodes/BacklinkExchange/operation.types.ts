import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { OutputSchema } from '../shared/descriptions/outputSchema';
import type { ParameterReader } from '../shared/parameters/parameterReader';
import type { ApiClient } from '../shared/transport/apiClient';

/**
 * One execution of the node for one account: n8n's context, and a client that all items of the
 * account share.
 */
export interface OperationContext {
	context: IExecuteFunctions;
	client: ApiClient;
	/**
	 * Shows a hint at the node's output after the execution. It replaces an earlier hint of the
	 * account with the same key.
	 */
	hint(key: string, message: string): void;
}

/** Executes an operation for the input items of one account: one by one, or all together. */
export type ItemHandler<Input> =
	| {
			/**
			 * Returns the output of one item.
			 *
			 * @throws {ServiceError} that the item fails with
			 */
			executeItem(input: Input): Promise<IDataObject[]>;
	  }
	| {
			/**
			 * Returns the output of all items, or a function that creates it after the execution.
			 *
			 * @throws {ServiceError} that all items fail with
			 */
			executeItems(inputs: Input[]): Promise<IDataObject[] | DeferredOutput>;
	  };

/**
 * Creates the output items.
 *
 * @param isLastTry false if n8n may run the node again (Retry On Fail)
 */
export type DeferredOutput = (isLastTry: boolean) => Promise<IDataObject[]>;

/** An operation is one object: the fields in the editor, and the code beside them. */
export interface Operation<Input = unknown> {
	value: string;
	name: string;
	/** Sentence case, without articles. n8n also makes the description of an AI tool from it. */
	action: string;
	description: string;
	/** Its file in `__schema__`; `undefined` if the service doesn't document the record. */
	outputSchema: OutputSchema | undefined;
	/**
	 * For models that build workflows: when to use this operation, and with which nodes, in the
	 * notation of n8n's Workflow SDK.
	 */
	usageHint?: string;
	/** Fields of this operation only, without the resource and operation in `displayOptions`. */
	properties: INodeProperties[];
	options?: INodeProperties[];
	/** Whether items are executed one after the other. */
	sequential?: boolean;
	/** Whether all input items are one input: if one of them is invalid, none is executed. */
	combinesItems?: boolean;
	/**
	 * Reads and validates the parameters of one item.
	 *
	 * Sends no request: it's called for all items before the first request, so a typo in one item
	 * leaves nothing half done.
	 *
	 * @throws {NodeOperationError} if a parameter isn't valid
	 */
	getParameters(parameters: ParameterReader): Input;
	/**
	 * Creates the handler of an account. Called once per execution and account, before any request;
	 * its closure holds the state that the items of the account share.
	 */
	createHandler(run: OperationContext): ItemHandler<Input>;
}
