import { expect, test } from 'vitest';

import { explainAnswer } from '../../../nodes/shared/errors.ts';

function explained(statusCode: number, json: unknown) {
	const response = {
		statusCode,
		headers: {},
		json,
		text: JSON.stringify(json),
		url: 'https://service.example/api',
		receivedAt: 0,
	};
	return explainAnswer(response, { action: 'list the sites' });
}

const said = (statusCode: number, json: unknown) => explained(statusCode, json).description;

test('an answer without a message is described by its status and what it holds', () => {
	expect(said(418, {})).toMatch(/^The service answered HTTP 418 with an object with no fields\b/);
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

test.each([
	[402, { error: { code: 'insufficient_credits' } }, /not enough credits/, 'quota-exhausted'],
	[407, {}, /proxy of n8n asks for a login/, 'configuration-invalid'],
])(
	'HTTP %i with %j is described by what it is, to people and to n8n',
	(status, json, message, cause) => {
		expect(explained(status, json)).toMatchObject({
			statusCode: status,
			message: expect.stringMatching(message) as unknown,
			failure: { cause },
		});
	},
);
