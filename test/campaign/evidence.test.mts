import fc from 'fast-check';
import { expect, test } from 'vitest';

import { readAnswer } from '../../nodes/BacklinkExchange/resources/exchange/accept/answer.ts';
import { answer } from './answersDrawn.mts';
import { saysAccepted } from './evidence.mts';

test('of 10,000 answers from the grammar, the node believes exactly those that say plainly that the offer is accepted', () => {
	const drawn = fc.sample(answer, { seed: 1, numRuns: 17_000 });
	let answers = 0;
	let believed = 0;
	const wrong: unknown[] = [];
	for (const { method, path = '', status = 503, body = '' } of drawn) {
		const id = path.split('/')[3];
		if (method !== 'POST' || id === undefined) continue;
		const text = status === 204 ? '' : body;
		const url = `https://service.example${path}`;
		const response = {
			url,
			askedAt: 0,
			receivedAt: 0,
			statusCode: status,
			headers: {},
			text,
			json: parsed(text),
		};
		const { evidence } = readAnswer({ kind: 'answered', response }, id);
		answers++;
		if (evidence === 'accepted') believed++;
		if (
			(evidence === 'accepted') !==
			saysAccepted({ kind: 'answer-after-commit', status, body }, id)
		) {
			wrong.push({ id, status, body, evidence });
		}
	}
	expect(wrong).toEqual([]);
	expect(answers).toBeGreaterThan(10_000);
	expect(believed).toBeGreaterThan(1_000);
	expect(believed).toBeLessThan(answers / 2);
});

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
