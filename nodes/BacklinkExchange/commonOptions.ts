import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** Entries of "Options" that operations share, and how they are read. */

const maxRateLimitWait: INodeProperties = {
	displayName: 'Max Rate Limit Wait',
	name: 'maxRateLimitWait',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 90,
	description:
		'How many seconds to wait at most when the request limit of the service is reached. If it asks for more, the item fails at once with the time at which the limit resets.',
};

const timeout: INodeProperties = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 30,
	description: 'How many seconds to wait for one answer of the service',
};

/**
 * For operations that may work on several items at once. The default is the most: nearly as fast as sending all at once,
 * and what the quota does not allow waits (docs/decisions/0004-waiting-for-the-limit.md has the figures).
 */
export const maxParallel: INodeProperties = {
	displayName: 'Max Parallel',
	name: 'maxParallel',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
	default: 100,
	description: 'How many items to work on at the same time at most. Their order is kept.',
};

/** For every operation. */
export const commonOptions = [maxRateLimitWait, timeout];

export interface RunSettings {
	maxParallel: number;
	/** In seconds. */
	maxRateLimitWait: number;
	/** In seconds. */
	timeout: number;
}

/** The settings of a run; they are those of its first item. */
export function readRunSettings(context: IExecuteFunctions): RunSettings {
	const read = ({ name, displayName, default: fallback, typeOptions }: INodeProperties): number => {
		const value = Number(context.getNodeParameter(`options.${name}`, 0, fallback));
		const minimum = typeOptions?.minValue ?? 0;
		if (Number.isFinite(value) && value >= minimum) return value;
		throw new NodeOperationError(
			context.getNode(),
			`"${displayName}" has to be a number of at least ${minimum}`,
			{
				description: `Correct it in the options of the node, or remove it to use ${String(fallback)}.`,
			},
		);
	};
	return {
		maxParallel: read(maxParallel),
		maxRateLimitWait: read(maxRateLimitWait),
		timeout: read(timeout),
	};
}
