import { expect, test } from 'vitest';

import { explainAnswer } from '../../../nodes/shared/errors.ts';

const connection = { withoutKey: (text: string) => text };

function said(statusCode: number, json: unknown): string {
	const response = {
		statusCode,
		headers: {},
		json,
		text: JSON.stringify(json),
		url: 'https://service.example/api',
	};
	return explainAnswer(connection as never, response, { action: 'list the sites' }).description;
}

test('an answer without a message is told by its status and what it holds', () => {
	expect(said(418, {})).toMatch(/^The service answered HTTP 418 with an empty object\b/);
	expect(said(418, { error: { message: '' } })).toContain('The service answered HTTP 418 with');
});

test("the service's own words are quoted, with their code", () => {
	expect(said(418, { error: { code: 'teapot', message: 'I am short' } })).toContain(
		'The service says: "I am short" (teapot).',
	);
	expect(said(418, { error: { message: 'I am short' } })).toContain(
		'The service says: "I am short".',
	);
});
