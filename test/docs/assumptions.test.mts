/**
 * Checks that docs/development/assumptions.md has an entry for each sentence of service-api.md
 * about something that the service doesn't show.
 */
import { expect, test } from 'vitest';

import { read } from '../repository.mts';

/**
 * Returns each such sentence as `place: sentence`. The place is the heading, or method and path of
 * an endpoint's row.
 */
function parseOpenQuestions(document: string): string[] {
	let heading = '';
	return document.split('\n').flatMap((line) => {
		heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
		const cells = line.split('|').map((cell) => cell.trim());
		const [, method = '', address = '', ...texts] = cells;
		const isEndpoint = method === 'GET' || method === 'POST';
		const place = isEndpoint ? `${method} ${address}` : heading;
		const text = isEndpoint ? texts.join(' ') : line.replace(/^\d+\. /, '');
		return text
			.split(/(?<=\.)\s+/)
			.map((sentence) => sentence.trim())
			.filter((sentence) => /\bshown\b/.test(sentence))
			.map((sentence) => `${place}: ${sentence}`);
	});
}

const [, ...rows] = read('docs/development/assumptions.md')
	.split(/^- /m)
	.map((entry) => entry.trim().split(/\n {2}- (?:Accepted|Otherwise): /));

test('assumptions.md has one entry per sentence of service-api.md, and no other', () => {
	const statements = parseOpenQuestions(read('sandbox/service-api.md'));
	expect(statements.length).toBeGreaterThan(20);
	expect(
		rows
			.slice(3)
			.map(([statement]) => statement)
			.sort(),
	).toEqual(statements.sort());
});

test('each entry says what works and what you see otherwise', () => {
	expect(rows.filter((cells) => cells.length !== 3 || cells.includes(''))).toEqual([]);
});
