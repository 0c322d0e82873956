/** docs/development/assumptions.md has an answer to each sentence of service-api.md that says that something is not shown. */
import { expect, test } from 'vitest';

import { dialectVariants } from '../../sandbox/dialects.mts';
import { read } from '../repository.mts';

/** `place > sentence`; the place is the heading, or method and path of an endpoint's row. */
function notShown(document: string): string[] {
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
			.map((sentence) => `${place} > ${sentence}`);
	});
}

interface Assumption {
	statement: string;
	/** By label. */
	lines: Map<string, string>;
}

function assumptions(document: string): Assumption[] {
	let heading = '';
	const found: Assumption[] = [];
	for (const line of document.split('\n')) {
		heading = /^## (.*)/.exec(line)?.[1] ?? heading;
		const sentence = /^> (.*)/.exec(line)?.[1];
		if (sentence !== undefined) {
			found.push({ statement: `${heading} > ${sentence}`, lines: new Map() });
		}
		const [, label, text] = /^- \*\*(.+):\*\* (.+)$/.exec(line) ?? [];
		if (label !== undefined && text !== undefined) found.at(-1)?.lines.set(label, text);
	}
	return found;
}

const statements = notShown(read('sandbox/service-api.md'));
const answered = assumptions(read('docs/development/assumptions.md'));

test('each sentence has its answer, and there is no other', () => {
	expect(statements.length).toBeGreaterThan(20);
	expect(answered.map(({ statement }) => statement).sort()).toEqual(statements.sort());
});

test.each(answered)('$statement', ({ lines }) => {
	expect([...lines.keys()]).toEqual([
		'Assumed',
		'Works with',
		'Sandbox',
		'Test',
		'Otherwise you see',
		'To change then',
	]);
	const sandbox = lines.get('Sandbox') ?? '';
	const settings = [...sandbox.matchAll(/`(\w+)`/g)].map(([, name]) => name);
	const known = [...Object.keys(dialectVariants), 'clockSkewSeconds'];
	expect(known).toEqual(expect.arrayContaining(settings));
	expect(settings.length > 0 || sandbox.startsWith('none')).toBe(true);
	// That the files exist is tested for all documents: paths.test.mts.
	expect(lines.get('Test')).toMatch(/^`test\/.+\.test\.mts`\.$/);
});

test('the functions that are to be changed exist', () => {
	const named = [
		...read('docs/development/assumptions.md').matchAll(/`(\w+)` in `(nodes\/[^`]+)`/g),
	];
	expect(named.length).toBeGreaterThan(5);
	for (const [, name = '', file = ''] of named) expect(read(file)).toContain(name);
});
