/** Requests that want to be sent, in virtual time: what a quota lets through, and when. */
import { afterEach, beforeEach, expect, vi } from 'vitest';

import { type Caller, type LimitReached, Quota } from '../../../../nodes/shared/service/quota.ts';
import type { Attempt } from '../../../../nodes/shared/service/retry.ts';
import { steadyNow } from '../../../../nodes/shared/time.ts';
import { answered } from './answered.mts';

/** Of all tests of a file. */
export function useFakeTime(): void {
	beforeEach(() => {
		vi.useFakeTimers({ now: Date.parse('2026-07-01T12:00:00Z') });
	});
	afterEach(() => {
		vi.useRealTimers();
	});
}

export const seconds = 1000;

/** Headers of a quota that resets in this many seconds. */
export function quotaOf(remaining: number | string, resetsIn: number): Record<string, string> {
	return {
		'x-ratelimit-remaining': String(remaining),
		'x-ratelimit-reset': String(Date.now() / 1000 + resetsIn),
	};
}

export function caller(longestWait = 90 * seconds, signal?: AbortSignal): Caller {
	return { longestWait, signal, since: steadyNow() };
}

/** A request that wants to be sent. */
export class Request {
	/** How often it was sent. */
	times = 0;

	/** What came of it in the end. */
	result: Attempt | LimitReached | Error | undefined;

	#answer: ((answer: Attempt | Promise<Attempt>) => void) | undefined;

	constructor(quota: Quota, by: Caller) {
		const send = async () => {
			this.times++;
			return await new Promise<Attempt>((resolve) => {
				this.#answer = resolve;
			});
		};
		quota.run(by, send).then(
			(result) => {
				this.result = result;
			},
			(error: unknown) => {
				this.result = error as Error;
			},
		);
	}

	get isUnderWay(): boolean {
		return this.#answer !== undefined;
	}

	async allow(headers: Record<string, string> = {}): Promise<void> {
		await this.#settle(answered({ headers }));
	}

	async refuse(headers: Record<string, string> = {}): Promise<void> {
		await this.#settle(answered({ statusCode: 429, headers }));
	}

	async fail(): Promise<void> {
		const error = { code: 'ECONNRESET', neverSent: false };
		await this.#settle({ kind: 'failed', error });
	}

	async break(): Promise<void> {
		await this.#settle(Promise.reject(new Error('broken')));
	}

	async #settle(answer: Attempt | Promise<Attempt>): Promise<void> {
		const settle = this.#answer;
		if (settle === undefined) throw new Error('not under way');
		this.#answer = undefined;
		settle(answer);
		await pass(0);
	}
}

/** Of one account and one caller, unless another one is named. */
export async function ask(quota: Quota, count: number, by = caller()): Promise<Request[]> {
	const requests = Array.from({ length: count }, () => new Request(quota, by));
	await pass(0);
	return requests;
}

export async function askOne(quota: Quota, by?: Caller): Promise<Request> {
	const [request] = await ask(quota, 1, by);
	if (request === undefined) throw new Error('none');
	return request;
}

export async function pass(milliseconds: number): Promise<void> {
	await vi.advanceTimersByTimeAsync(milliseconds);
}

/** It is sent after exactly so many milliseconds. */
export async function expectToWait(request: Request, milliseconds: number): Promise<void> {
	await pass(milliseconds - 1);
	expect(request.isUnderWay).toBe(false);
	await pass(1);
	expect(request.isUnderWay).toBe(true);
}

export const underWay = (requests: Request[]) => requests.filter((each) => each.isUnderWay);

/** How many of so many requests are sent at once. */
export async function sentAtOnce(quota: Quota, count: number): Promise<number> {
	return underWay(await ask(quota, count)).length;
}

/** After one answer with each of these headers. */
export async function quotaAfter(...answers: Array<Record<string, string>>): Promise<Quota> {
	const quota = new Quota();
	const requests = await ask(quota, answers.length);
	for (const [index, headers] of answers.entries()) await requests[index]?.allow(headers);
	return quota;
}

/** Nothing is left, and one request has shown that this is so. */
export async function usedUp(resetsIn: number): Promise<Quota> {
	const quota = await quotaAfter(quotaOf(0, resetsIn));
	await (await askOne(quota, caller(0))).refuse(quotaOf(0, resetsIn));
	return quota;
}
