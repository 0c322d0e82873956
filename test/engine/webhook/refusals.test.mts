/** What the trigger says of deliveries that it refuses or does not know: in the log, and to whoever listens for a test event. */
import { describe, expect, it, vi } from 'vitest';

import { begin, deliver, runs, secret, sign } from './deliver.mts';

const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' };
const body = JSON.stringify(accepted);
const forged = { 'x-pb-signature': sign(body, 'another secret') };

it('a credential that cannot be read is no verdict on the signature: the sender is asked to come again', async () => {
	const server = await begin();
	const away = new Error('the database is away');
	vi.spyOn(server.credentials, 'getDecrypted').mockRejectedValueOnce(away);
	expect(await deliver(server, body)).toEqual({
		status: 503,
		message: 'The signature could not be verified now; send it again later',
	});
	expect(runs(server)).toBe(0);
	expect((await deliver(server, body)).status).toBe(200);
	expect(server.logged).toEqual([expect.stringContaining('could not read the credential')]);
	expect(server.logged.join()).not.toContain('database');
});

describe('the log', () => {
	it('names the reason at once, then at most once a minute, with a count', async () => {
		const server = await begin();
		for (let time = 0; time < 50; time++) {
			expect((await deliver(server, body, forged)).status).toBe(401);
		}
		expect((await deliver(server, body, { 'x-pb-signature': '' })).status).toBe(401);
		expect(server.logged).toEqual([
			expect.stringContaining('the signature does not match'),
			expect.stringContaining('X-PB-Signature is missing'),
		]);
		const now = performance.now();
		for (const [seconds, lines] of [
			[55, 2],
			[61, 3],
		] as const) {
			const later = vi.spyOn(performance, 'now').mockReturnValue(now + seconds * 1000);
			await deliver(server, body, forged);
			later.mockRestore();
			expect(server.logged).toHaveLength(lines);
		}
		expect(server.logged[2]).toContain('; 50 more since the last line');
	});

	it('describes an unrecognized delivery, once a minute, by its field names alone', async () => {
		const server = await begin();
		const unknown = (balance: number) =>
			JSON.stringify({ kind: 'credit.low', data: { balance, 'secret\nplan': 'x' } });
		expect((await deliver(server, unknown(3))).message).toContain('Ignored');
		expect((await deliver(server, unknown(4))).message).toContain('Ignored');
		expect(server.logged).toEqual([
			expect.stringContaining('an object with kind, data (balance, secret plan)'),
		]);
		expect(server.logged.join()).not.toContain('credit.low');
		expect((await deliver(server, JSON.stringify([1, 2]))).status).toBe(400);
		expect((await deliver(server, 'hello')).status).toBe(400);
		expect(server.logged.join()).toContain('a list of 2 entries');
		expect(server.logged.join()).toContain('the body is not JSON');
	});
});

describe('while somebody listens for a test event', () => {
	it('a repetition is shown again', async () => {
		const server = await begin();
		server.mode = 'manual';
		for (let time = 0; time < 3; time++) {
			expect((await deliver(server, body)).message).toBe('Received');
		}
		expect(runs(server)).toBe(3);
	});

	it('a sender who has gone away holds nothing up', async () => {
		const server = await begin();
		server.mode = 'manual';
		const asked = Promise.withResolvers<unknown>();
		const answer = Promise.withResolvers<never>();
		server.credentials.getDecrypted = async () => {
			asked.resolve(true);
			return await answer.promise;
		};
		const impatient = new AbortController();
		const delivery = deliver(server, body, {}, impatient.signal).catch(() => undefined);
		await asked.promise;
		impatient.abort();
		await delivery;
		await new Promise((resolve) => setTimeout(resolve, 50));
		answer.reject(new Error('the database is away'));
		await expect.poll(() => server.failures.length).toBe(1);
	});

	it.each([
		['forged', body, forged, 401, 'the signature does not match'],
		['unsigned', body, { 'x-pb-signature': '' }, 401, 'X-PB-Signature is missing'],
		['no event', 'hello', {}, 400, 'its body is not an event'],
	])(
		'a delivery that is refused (%s) is answered so, and fails the test with the reason',
		async (_name, content, headers, status, reason) => {
			const server = await begin();
			server.mode = 'manual';
			expect((await deliver(server, content, headers)).status).toBe(status);
			expect(server.executions).toEqual([]);
			expect(server.failures).toEqual([
				expect.objectContaining({
					message: expect.stringContaining(reason) as unknown,
					description: 'None of it was used. Correct this, then listen again.',
				}),
			]);
			expect(String(server.failures)).not.toContain(secret);
		},
	);
});
