/** What happens to an n8n during a soak: events, forgeries, offers, and a service that has bad minutes. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { requestFaultKinds } from '../../sandbox/faults.mts';
import type { Sandbox } from '../../sandbox/sandbox.mts';

export const secret = 'the webhook secret';

/** Requests per minute, as on the service's Pro plan: enough for the load, but not for what uses them up now and then. */
export const perMinute = 60;

/** Seconds of each cycle. Faults are switched on in the middle of it; what is left of them goes at the end. */
const cycle = { length: 120, faultsFrom: 60, faultsUntil: 105, quotaGone: 80 };

/** One cycle in this many uses up the quota. */
const cyclesPerUsedUpQuota = 3;

const deliveryFaults = [
	'duplicate-delivery',
	'concurrent-delivery',
	'late-delivery',
	'forged-delivery',
] as const;

/** How many of the load's own deliveries the receiver answered with each status. */
export interface Answers {
	genuine: Record<string, number>;
	forged: Record<string, number>;
}

/** Goes on until the signal stops it. The same seconds bring the same things, so two of them at once can be compared. */
export async function applyLoad(
	sandbox: Sandbox,
	url: string,
	signal: AbortSignal,
): Promise<Answers> {
	const answers: Answers = { genuine: {}, forged: {} };
	const deliver = (second: number, kind: keyof Answers): void => {
		const key = kind === 'genuine' ? secret : 'not the secret';
		void send(url, second, key).then((status) => {
			answers[kind][status] = (answers[kind][status] ?? 0) + 1;
		});
	};
	try {
		for (let second = 1; ; second++) {
			await sleep(1000, undefined, { signal });
			if (second % 4 === 0) deliver(second, 'genuine');
			if (second % 4 === 2) deliver(second, 'forged');
			exchangeEvents(sandbox, second);
			badMinutes(sandbox, second);
		}
	} catch (error) {
		if (!signal.aborted) throw error;
	}
	sandbox.clearFaults();
	return answers;
}

/** A new alert each time, signed as the service signs it. */
async function send(url: string, second: number, key: string): Promise<string> {
	const body = JSON.stringify({
		exchange_id: `exc_soak${second}`,
		severity: 'warning',
		type: 'link_nofollow',
		detail: 'The link has become nofollow.',
	});
	const headers = {
		'content-type': 'application/json',
		'x-pb-signature': createHmac('sha256', key).update(body).digest('hex'),
	};
	try {
		const answer = await fetch(url, {
			method: 'POST',
			headers,
			body,
			signal: AbortSignal.timeout(30_000),
		});
		await answer.body?.cancel();
		return String(answer.status);
	} catch {
		return 'none';
	}
}

function exchangeEvents(sandbox: Sandbox, second: number): void {
	if (second % 12 === 0) sandbox.requestOffer({ cost: 1 });
	if (second % 12 === 6) {
		const [accepted] = sandbox.books.exchanges('accepted');
		if (accepted) sandbox.publish(accepted.id);
	}
	if (second % 60 === 30) {
		const [live] = sandbox.books.exchanges('live');
		if (live) sandbox.breakLink(live.id);
	}
}

function badMinutes(sandbox: Sandbox, second: number): void {
	const inCycle = second % cycle.length;
	if (inCycle === cycle.faultsUntil) sandbox.clearFaults();
	if (inCycle < cycle.faultsFrom || inCycle >= cycle.faultsUntil) return;
	if (second % 5 === 0) {
		sandbox.addFault({
			kind: requestFaultKinds[(second / 5) % requestFaultKinds.length] ?? 'nonsense',
			seed: second,
			times: 1 + (second % 2),
			milliseconds: 2000,
		});
	}
	if (second % 10 === 0) {
		const kind = deliveryFaults[(second / 10) % deliveryFaults.length];
		if (kind) sandbox.addFault({ kind, milliseconds: 3000 });
	}
	const number = Math.floor(second / cycle.length);
	if (inCycle === cycle.quotaGone && number % cyclesPerUsedUpQuota === 1) void useUpQuota(sandbox);
}

/** As another program with the same key would. */
async function useUpQuota({ baseUrl, apiKey }: Sandbox): Promise<void> {
	for (let request = 0; request < perMinute; request++) {
		try {
			const headers = { authorization: `Bearer ${apiKey}` };
			const answer = await fetch(`${baseUrl}/credits/balance`, { headers });
			await answer.body?.cancel();
			if (answer.status === 429) return;
		} catch {
			// a fault has met this one
		}
	}
}
