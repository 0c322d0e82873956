/** Behavior that every operation shares. */
import { describe, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import type { Fault } from '../../../sandbox/faults.mts';
import type { SandboxOptions } from '../../../sandbox/sandbox.mts';
import { startTestService, type TestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { operations } from './operations.mts';

useVirtualTime();

const failing = (fault: Omit<Fault, 'times'>) => {
	return ({ sandbox }: TestService) => {
		sandbox.addFault({ times: 1000, ...fault });
	};
};

/** Failures, and the message that every operation has for them. */
const failures: Array<
	[string, SandboxOptions, (service: TestService) => Promise<void> | void, RegExp]
> = [
	[
		'a revoked key',
		{},
		({ sandbox }) => {
			sandbox.revokeApiKey(sandbox.apiKey);
		},
		new RegExp(`^${errorMessages.apiKeyNotAccepted}$`),
	],
	['a plan without API access', { plan: 'none' }, () => undefined, /^The service denied access/],
	[
		'an unavailable service',
		{},
		failing({ kind: 'error-before-commit' }),
		/^The service isn't available right now$/,
	],
	[
		'an error in a 200 response',
		{},
		failing({
			kind: 'answer-before-commit',
			status: 200,
			body: '{"error":{"code":"invalid_request","message":"no"}}',
		}),
		/^The service declined to (list|read) the /,
	],
	[
		'responses without JSON',
		{},
		failing({ kind: 'answer-after-commit', status: 200, body: '<html>' }),
		/unexpected response/,
	],
	[
		'a rate limit with a late reset',
		{ limits: { perMinute: 1, perDay: 1 } },
		async ({ sandbox }) => {
			const headers = { authorization: `Bearer ${sandbox.apiKey}` };
			await (await fetch(`${sandbox.baseUrl}/sites`, { headers })).text();
		},
		/^The service's rate limit is reached$/,
	],
];

describe.each(operations)(
	'$resource $operation',
	({ resource, operation, parameters, runsAllItems }) => {
		test.each(failures)('%s', async (_, options, cause, expected) => {
			const service = await startTestService(options);
			await cause(service);
			const merged = { ...parameters, options: { maxRateLimitWait: 1 } };
			const { items, error } = await service.run(resource, operation, {
				parameters: merged,
				items: [{ id: 'one' }, { id: 'two' }],
				continueOnFail: true,
			});
			expect(error?.message).toBeUndefined();
			const itemErrors = items.map(({ json, pairedItem }) => [
				(json.error as { message?: string } | undefined)?.message,
				pairedItem,
			]);
			const pairs =
				runsAllItems === true ? [[{ item: 0 }, { item: 1 }]] : [{ item: 0 }, { item: 1 }];
			expect(itemErrors).toEqual(
				pairs.map((pair) => [expect.stringMatching(expected) as unknown, pair]),
			);
			expect(JSON.stringify(items)).not.toContain(service.sandbox.apiKey);
		});
	},
);
