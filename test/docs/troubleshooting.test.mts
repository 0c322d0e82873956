/** Checks that docs/troubleshooting.md explains exactly the messages that the nodes have. */
import { expect, test } from 'vitest';

import { errorMessages } from '../../nodes/shared/errorMessages.ts';
import { read } from '../repository.mts';

const page = read('docs/troubleshooting.md');

/** The messages, with … in place of the parts that vary. */
const headlines = Object.values(errorMessages).map((message) =>
	typeof message === 'string' ? message : message('…', '…'),
);

test('each message of the nodes has a heading, and no other heading is a message', () => {
	const [messages = ''] = page.split('\n## Look up a symptom\n');
	const headings = [...messages.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
	expect(headings.toSorted()).toEqual(headlines.toSorted());
});

test.each(headlines)('"%s" is one clause of at most twelve words', (headline) => {
	expect(headline.split(' ').length).toBeLessThanOrEqual(12);
	expect(headline).not.toMatch(/\b(error|problem|failure|mistake|cannot|not|has to|refuse\w*)\b/);
});
