import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { OutputSchema } from '../shared/descriptions/outputSchema';
import type { ErrorResult } from '../shared/errors';
import type { ParameterReader } from '../shared/parameters/parameterReader';
import type { ApiClient } from '../shared/transport/apiClient';

/** One run of the node for one account: the context n8n gave, and the connection that all items of the account share. */
export interface OperationContext {
	context: IExecuteFunctions;
	client: ApiClient;
	/** Shows a note at the node's output when the run is over; a later note with the same key takes its place. */
	hint(key: string, message: string): void;
}

/** Does the work for the input items of one run and account: for each of them, or for all at once. */
export type ItemHandler<Input> =
	| {
			/** Returns what the node emits for one item, or why it fails. */
			executeItem(input: Input): Promise<IDataObject[] | ErrorResult>;
	  }
	| {
			/** Works on all items of the account together. Returns what the node emits, or what makes that once the run is over, or why it fails. */
			executeItems(inputs: Input[]): Promise<IDataObject[] | DeferredOutput | ErrorResult>;
	  };

/** Makes what the node emits. @param isFinal whether n8n certainly takes it; otherwise it may run the node again */
export type DeferredOutput = (isLastTry: boolean) => Promise<IDataObject[]>;

/** An operation is one object: what the editor shows, and what it does, side by side. */
export interface Operation<Input = unknown> {
	value: string;
	name: string;
	/** Sentence-case, without articles; n8n also makes the AI tool's description from it. */
	action: string;
	description: string;
	/** What it returns: its file in `__schema__`. Undefined where the service does not show that. */
	outputSchema: OutputSchema | undefined;
	/** For models that build workflows: when to take this operation and what goes with it, in the notation of n8n's Workflow SDK. */
	usageHint?: string;
	/** Fields of this operation alone; the registry adds when they are shown. */
	properties: INodeProperties[];
	/** Entries of the "Options" collection besides the common ones. */
	options?: INodeProperties[];
	/** Whether items are worked on one after the other, never two at the same time. */
	sequential?: boolean;
	/**
	 * Reads and checks what the user has set for one item. Sends nothing: it is called for all items of a run before the
	 * first request, so that a typing error in one of them leaves nothing half done.
	 * @throws NodeOperationError when a setting cannot be used
	 */
	getParameters(parameters: ParameterReader): Input;
	/** Called once per run and account, before any request; what the items of an account share lives in its closure. */
	createHandler(run: OperationContext): ItemHandler<Input>;
}
