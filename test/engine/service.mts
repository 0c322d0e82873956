/** The action node against a sandbox of its own: what the tests of operations share. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { onTestFinished } from 'vitest';

import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.mts';
import { type NodeRun, type NodeRunOptions, runNode } from './engine.mts';

/** Limits that no test reaches by accident. */
const wideLimits = { perMinute: 1_000_000, perDay: 1_000_000 };

export interface TestService {
	sandbox: Sandbox;
	run: (resource: string, operation: string, options?: RunOptions) => Promise<NodeRun>;
}

interface RunOptions extends Partial<Omit<NodeRunOptions, 'parameters'>> {
	parameters?: INodeParameters;
}

/** Starts a sandbox that ends with the test. Concurrent tests have to say which test that is. */
export async function testService(
	options: SandboxOptions = {},
	onFinished: (end: () => Promise<void>) => void = onTestFinished,
): Promise<TestService> {
	const sandbox = await startSandbox({ limits: wideLimits, ...options });
	onFinished(() => sandbox.close());
	const credential = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
	return {
		sandbox,
		run: (resource, operation, { parameters, ...rest } = {}) =>
			runNode({ credential, ...rest, parameters: { resource, operation, ...parameters } }),
	};
}

/** Parameters of accept for an exchange ID, or an expression for it. */
export function acceptParameters(
	id = '={{ $json.id }}',
	options: INodeParameters = {},
): INodeParameters {
	return { exchangeId: { __rl: true, mode: 'id', value: id }, options };
}

export function jsonOf(run: NodeRun): IDataObject[] {
	return run.items.map(({ json }) => json);
}
