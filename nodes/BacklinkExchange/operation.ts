import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { ServiceConnection } from '../shared/connection';

/** One run of the node: the context n8n gave, and the connection that all its items share. */
export interface Run {
	context: IExecuteFunctions;
	connection: ServiceConnection;
	/** Shows a note at the node's output when the run is over; a later one with the same key takes its place. */
	hint(key: string, message: string): void;
}

/** Does the work for one input item, and returns what it puts out. */
export type ItemHandler = (itemIndex: number) => Promise<IDataObject[]>;

/** An operation is one object: what the editor shows, and what it does, side by side. */
export interface Operation {
	value: string;
	name: string;
	/** Sentence-case, without articles; n8n also makes the AI tool's description from it. */
	action: string;
	description: string;
	/** Fields of this operation alone; the registry adds when they are shown. */
	fields: INodeProperties[];
	/** Entries of the "Options" collection besides the common ones. */
	options?: INodeProperties[];
	/** Never two items at the same time. */
	oneAtATime?: boolean;
	/** Called once per run; what the items share lives in its closure. */
	begin(run: Run): ItemHandler;
}
