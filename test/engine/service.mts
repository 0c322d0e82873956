/** Runs the action node against a sandbox of its own, for tests of operations. */
import { onTestFinished } from 'vitest';

import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.mts';
import { createNodeRunner, type NodeRunner } from './nodeRunner.mts';

export { acceptParameters, getJson as jsonOf, newSites } from './nodeRunner.mts';

/** Limits that no test reaches by accident. */
const wideLimits = { perMinute: 1_000_000, perDay: 1_000_000 };

export interface TestService extends NodeRunner {
	sandbox: Sandbox;
}

/** Starts a sandbox and a node runner, with a pending offer. */
export async function setUpWithOffer(
	options: SandboxOptions = {},
	offer: Parameters<Sandbox['requestOffer']>[0] = {},
): Promise<TestService & { offer: ReturnType<Sandbox['requestOffer']> }> {
	const service = await startTestService(options);
	return { ...service, offer: service.sandbox.requestOffer(offer) };
}

/** Starts a sandbox that ends with the test. Concurrent tests have to pass that test. */
export async function startTestService(
	options: SandboxOptions = {},
	onFinished: (end: () => Promise<void>) => void = onTestFinished,
): Promise<TestService> {
	const sandbox = await startSandbox({ limits: wideLimits, ...options });
	onFinished(() => sandbox.close());
	return { sandbox, ...createNodeRunner({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey }) };
}
