/**
 * Tests each table row and each numbered rule of service-api.md, over real HTTP, under the row's
 * own name.
 *
 * A row without a test fails, and so does a test without a row.
 */

import { describe, expect, test } from 'vitest';

import { read } from '../repository.mts';
import { callApi, getError, openSandbox } from './harness.mts';
import { resources, site } from './serviceApiResources.mts';
import { rules } from './serviceApiRules.mts';

const rows = { ...resources, ...rules };

/**
 * Returns `heading: first cell` of each table row (method and path of an endpoint), and `heading
 * number` of each numbered rule.
 */
function getRows(document: string): string[] {
	const found: string[] = [];
	let heading = '';
	let isHeader = true;
	for (const line of document.split('\n')) {
		const cells = line.split('|').map((cell) => cell.trim());
		if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
		if (!line.startsWith('|')) isHeader = true;
		else if (isHeader) isHeader = false;
		else if (!/^\|[-| ]+\|$/.test(line)) {
			found.push(
				`${heading}: ${(cells[1] === 'GET' || cells[1] === 'POST' ? cells.slice(1, 3) : cells.slice(1, 2)).join(' ')}`,
			);
		}
		const rule = /^(\d+)\. /.exec(line)?.[1];
		if (rule !== undefined) found.push(`${heading} ${rule}`);
	}
	return found;
}

const document = read('sandbox/service-api.md');

describe('service-api.md', () => {
	test('has a test for each of its rows and rules, and no other', () => {
		expect(Object.keys(rows).toSorted()).toEqual(getRows(document).toSorted());
	});

	test('has exactly one row for each endpoint of the sandbox', async () => {
		const { endpoints } = await openSandbox();
		const documented = getRows(document).flatMap((row) => /^Endpoints: (.+)/.exec(row)?.[1] ?? []);
		expect(endpoints.toSorted()).toEqual(documented.toSorted());
	});

	for (const [row, check] of Object.entries(rows)) test(row, check);

	test("responds quickly that write endpoints aren't available yet", async () => {
		const sandbox = await openSandbox({ readOnly: true });
		const { id } = sandbox.requestOffer();
		for (const call of [`POST /exchanges/${id}/accept`, 'POST /sites']) {
			const answer = await callApi(sandbox, call, { json: site });
			expect([answer.status, getError(answer).code]).toEqual([403, 'write_not_available']);
		}
		expect((await callApi(sandbox, 'GET /exchanges')).status).toBe(200);
		expect(sandbox.books.exchange(id).status).toBe('pending');
		sandbox.change({ readOnly: false });
		expect((await callApi(sandbox, `POST /exchanges/${id}/accept`)).status).toBe(200);
	});

	test('sends both rate limit headers in every response', async () => {
		const sandbox = await openSandbox({ limits: { perMinute: 6 } });
		for (const [call, status, remaining] of [
			['GET /sites', 200, '5'],
			['POST /sites', 415, '4'],
			['GET /nothing', 404, '3'],
			['PUT /sites', 405, '2'],
			['GET /%zz', 404, '1'],
			['HEAD /sites', 200, '0'],
			['GET /sites', 429, '0'],
		] as const) {
			const answer = await callApi(sandbox, call);
			expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([status, remaining]);
			expect(answer.headers['x-ratelimit-reset']).toMatch(/^\d{10}$/);
		}
		const { headers } = await callApi(sandbox, 'GET /sites', { authorization: null });
		expect(headers['x-ratelimit-remaining']).toBe('5');
	});
});
