/** One accept, to see how the service answers it and when its list shows it. It spends credits; the caller has asked for confirmation. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Dialect } from '../sandbox/dialects.mts';
import { bodyWords, isObject, recordsOf } from './bodies.mts';
import type { Answer, Client } from './client.mts';
import { content } from './product.mts';
import type { Observation } from './report.mts';
import { ProbeStopped } from './stopped.mts';

/** Milliseconds between two readings of the list. */
const pause = 2000;
/** Milliseconds after which the list is read no more. */
const longestLag = 60_000;

export interface Offer {
	/** Credits, if the record names them; the service's description does not. */
	cost: number | undefined;
	balance: number | undefined;
}

/** @throws ProbeStopped when the offer is not there or not pending: then nothing is sent */
export async function lookAtOffer(client: Client, id: string): Promise<Offer> {
	const list = recordsOf(await client.ask({ path: '/exchanges?status=pending' }), 'exchanges');
	const offer = list?.find((entry) => hasId(entry, id));
	if (offer?.status !== 'pending') {
		throw new ProbeStopped('The service lists no pending offer with this id. Nothing was sent.');
	}
	const cost = [offer.cost, offer.credits, offer.price].find((value) => typeof value === 'number');
	return { cost, balance: await balanceOf(client) };
}

/** What has to be typed before anything is spent. */
export function confirmationOf(id: string, { cost }: Offer): string {
	return `spend ${cost === undefined ? 'an unknown number of' : cost} credits on ${id}`;
}

/** Accepts the offer once, and looks when and how the list shows it. */
export async function probeAccept(
	client: Client,
	id: string,
	before: Offer,
): Promise<Observation[]> {
	const sentAt = Date.now();
	const answer = await client.ask({
		path: `/exchanges/${encodeURIComponent(id)}/accept`,
		method: 'POST',
	});
	const observations = [answerOf(answer, id)];
	let status: unknown;
	for (;;) {
		const list = recordsOf(await client.ask({ path: '/exchanges' }), 'exchanges');
		status = list?.find((entry) => hasId(entry, id))?.status;
		if (status === 'accepted' || status === 'live') break;
		if (Date.now() - sentAt > longestLag) break;
		await sleep(pause);
	}
	const shown = status === 'accepted' || status === 'live';
	const seconds = Math.round((Date.now() - sentAt) / 1000);
	observations.push({
		question: 'accept: the list shows it',
		seen: shown ? `after ${seconds} s` : `not within ${longestLag / 1000} s`,
		verdict: shown && seconds <= 10 ? 'supported' : 'tolerated',
	});
	const after = await balanceOf(client);
	const spent =
		before.balance === undefined || after === undefined ? undefined : before.balance - after;
	observations.push({
		question: 'accept: credits',
		seen:
			spent === undefined
				? 'the balance cannot be read'
				: spent > 0
					? 'deducted at once'
					: 'not deducted yet',
		verdict: spent === undefined ? 'not supported' : 'supported',
	});
	return observations;
}

function hasId({ id }: Record<string, unknown>, wanted: string): boolean {
	return id === wanted || (typeof id === 'number' && String(id) === wanted);
}

async function balanceOf(client: Client): Promise<number | undefined> {
	const { json } = await client.ask({ path: '/credits/balance' });
	return isObject(json) && typeof json.balance === 'number' ? json.balance : undefined;
}

const forms: readonly string[] = [
	'200-record',
	'200-envelope',
	'200-data',
	'202-record',
	'202-envelope',
	'202-data',
	'204-empty',
] satisfies Dialect['accept'][];

function answerOf(answer: Answer, id: string): Observation {
	const { status, json } = answer;
	const record = content.readRecord(json, 'exchange');
	const form =
		answer.text.trim() === ''
			? 'empty'
			: record === undefined
				? undefined
				: record === json
					? 'record'
					: isObject(json) && json.data === record
						? 'data'
						: 'envelope';
	const setting = `${status}-${form ?? ''}`;
	const isKnown = (text: string): text is Dialect['accept'] => forms.includes(text);
	const about = record === undefined || hasId(record, id) ? '' : ', about another exchange';
	const ok = status >= 200 && status < 300 && about === '';
	return {
		question: 'accept: answer',
		seen: `HTTP ${status}, ${form ?? bodyWords(answer)}${about}`,
		verdict: ok ? (isKnown(setting) ? 'supported' : 'tolerated') : 'not supported',
		...(ok && isKnown(setting) && { dialect: { accept: setting } }),
	};
}
