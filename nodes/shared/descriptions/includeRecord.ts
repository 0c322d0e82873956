import type { INodeProperties } from 'n8n-workflow';

/** An option of the triggers, and of the operations with flat items. */
export const includeRecord: INodeProperties = {
	displayName: 'Include Record',
	name: 'includeRecord',
	type: 'boolean',
	default: false,
	description: "Whether to add the service's own record to each item, in the field 'record'",
};
