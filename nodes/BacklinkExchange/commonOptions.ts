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
		"Maximum number of seconds to wait when the service's rate limit is reached. If the service asks for a longer wait, the item fails immediately.",
};

const timeout: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 3600 },
	default: 30,
	description: 'Maximum number of seconds to wait for a response from the service',
};

export const commonOptions = [maxRateLimitWait, timeout];

/** Reads the options that apply to the whole execution. */
export function getRunOptions(parameters: ParameterReader) {
	const options = parameters.collection();
	return {
		maxRateLimitWaitMs: options.number(maxRateLimitWait) * 1000,
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
