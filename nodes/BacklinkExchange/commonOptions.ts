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

/** Maximum wait for a response to a request. */
const timeoutMs = 30_000;

export const commonOptions = [maxRateLimitWait];

/** Reads the options that apply to the whole execution. */
export function getRunOptions(parameters: ParameterReader) {
	const options = parameters.collection();
	return {
		maxRateLimitWaitMs: options.number(maxRateLimitWait) * 1000,
		timeoutMs,
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
