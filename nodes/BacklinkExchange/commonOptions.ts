import type { INodeProperties } from 'n8n-workflow';

import type { ParameterReader } from '../shared/parameters/parameterReader';

// Options that several operations share, and functions that read them.

const maxRateLimitWait: INodeProperties = {
	displayName: 'Max Rate Limit Wait (Seconds)',
	name: 'maxRateLimitWait',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 86_400 },
	default: 90,
	description:
		'Maximum number of seconds to wait when the request limit of the service is reached. If the service asks for a longer wait, the item fails at once, and the error says when the limit resets, if that is known.',
};

const timeout: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 3600 },
	default: 30,
	description: 'Maximum number of seconds to wait for each response of the service',
};

/**
 * Limits concurrency for services that can't handle the rate that they allow.
 *
 * The default is the largest plan's requests per minute (service-api.md, "Limits"). The rate
 * limiter delays whatever exceeds the limit anyway.
 */
export const maxParallel: INodeProperties = {
	displayName: 'Max Parallel',
	name: 'maxParallel',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 240, numberPrecision: 0 },
	default: 240,
	description:
		'Maximum number of items to process at the same time. They are returned in their original order.',
};

/** For operations whose record has more fields than most workflows need. */
export const simplify: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

export const commonOptions = [maxRateLimitWait, timeout];

/** Reads the options that apply to the whole execution. */
export function getRunOptions(parameters: ParameterReader) {
	const options = parameters.collection();
	return {
		maxParallel: options.number(maxParallel),
		maxRateLimitWaitMs: options.number(maxRateLimitWait) * 1000,
		isMaxWaitConfigurable: true,
		timeoutMs: options.number(timeout) * 1000,
	};
}

/** Returns the parameter if the user added it, otherwise `defaultValue`. */
export function getOptionalNumber(
	parameters: ParameterReader,
	field: INodeProperties,
	defaultValue: number,
): number {
	return parameters.has(field) ? parameters.number(field) : defaultValue;
}
