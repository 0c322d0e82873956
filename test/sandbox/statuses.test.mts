/** Statuses that service-api.md doesn't show: other words, other letter case, none. */
import { describe, expect, test } from 'vitest';

import { askUrl, callApi, control, getError, matching, openSandbox } from './harness.mts';

const closedStatuses = ['declined', 'Expired', ' under review '];

describe('an exchange', () => {
	test.each([...closedStatuses, 'PENDING', 'Accepted'])(
		'is listed as it is set: %j',
		async (status) => {
			const sandbox = await openSandbox();
			const { id } = sandbox.requestOffer();
			sandbox.setStatus(id, status);
			const { json } = await callApi(sandbox, 'GET /exchanges');
			expect(json).toMatchObject({ exchanges: [{ id, status }] });
			expect(sandbox.books.balance()).toBe(100);
		},
	);

	test('has no field for an empty status', async () => {
		const sandbox = await openSandbox();
		sandbox.setStatus(sandbox.requestOffer().id, '');
		const { json } = await callApi(sandbox, 'GET /exchanges');
		expect((json as { exchanges: object[] }).exchanges[0]).not.toHaveProperty('status');
	});

	test('is found by its status in any letter case, and only by that', async () => {
		const sandbox = await openSandbox();
		for (const status of [...closedStatuses, '', 'PENDING', 'Accepted']) {
			sandbox.setStatus(sandbox.requestOffer().id, status);
		}
		const find = async (status: string) => {
			const { json } = await callApi(sandbox, `GET /exchanges?status=${status}`);
			return (json as { exchanges: { status: string }[] }).exchanges.map((each) => each.status);
		};
		expect(await find('pending')).toEqual(['PENDING']);
		expect(await find('accepted')).toEqual(['Accepted']);
		expect(await find('live')).toEqual([]);
	});

	test.each([
		...([
			['409', 409],
			['404', 404],
			['422', 422],
		] as const),
		...([
			['400', 400],
			['200', 409],
			['charged', 409],
		] as const),
	])('costs nothing while it is closed (acceptAgain=%s)', async (acceptAgain, status) => {
		const sandbox = await openSandbox({ dialect: { acceptAgain } });
		const { id } = sandbox.requestOffer();
		for (const closed of [...closedStatuses, '']) {
			sandbox.setStatus(id, closed);
			const answer = await callApi(sandbox, `POST /exchanges/${id}/accept`);
			expect([answer.status, getError(answer).code]).toEqual([status, 'exchange_not_pending']);
		}
		expect(sandbox.books.acceptCount(id)).toBe(0);
	});

	test('goes on from a status in another letter case, but not from a closed one', async () => {
		const sandbox = await openSandbox();
		const { id } = sandbox.requestOffer({ cost: 7 });
		sandbox.setStatus(id, 'declined');
		expect(() => sandbox.publish(id)).toThrow(/is declined\. .*accepted or broken/);
		sandbox.setStatus(id, 'PENDING');
		expect(sandbox.accept(id).status).toBe('accepted');
		sandbox.setStatus(id, 'ACCEPTED');
		expect(sandbox.publish(id).status).toBe('live');
		sandbox.setStatus(id, 'Live');
		expect(sandbox.breakLink(id).status).toBe('broken');
		expect([sandbox.books.balance(), sandbox.books.acceptCount(id)]).toEqual([93, 1]);
	});

	test('gets a status through the control, which the dashboard shows as it is', async () => {
		const sandbox = await openSandbox();
		const { id } = sandbox.requestOffer();
		const { id: other } = sandbox.requestOffer();
		expect((await control(sandbox, '/status', { id, status: 'declined' })).json).toEqual({
			message: matching(/partner\.example → your-site\.example.* declined/),
		});
		await control(sandbox, '/status', { id: other, status: '' });
		const { text } = await askUrl('GET', `${sandbox.origin}/dashboard/offers`);
		expect(text).toContain('<td>declined<');
		expect(text).toContain('<td>without a status<');
		expect(text).not.toContain('data-action="/accept"');
		expect((await control(sandbox, '/status', { id: 'none', status: 'x' })).status).toBe(404);
		expect((await control(sandbox, '/status', { id })).status).toBe(400);
	});
});
