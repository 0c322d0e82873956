/** Checks that docs/troubleshooting.md explains only messages that the nodes have. */
import { expect, test } from 'vitest';

import { errorMessages } from '../../nodes/shared/errorMessages.ts';
import { read } from '../repository.mts';

const page = read('docs/troubleshooting.md');

/** The messages, with … in place of the parts that vary. */
const headlines = Object.values(errorMessages).map((message) =>
	typeof message === 'string' ? message : message('…', '…'),
);

test.each(['## Messages', '### HTTP 403'])(
	'each row under "%s" is a message of the nodes',
	(heading) => {
		const [, section = ''] = page.split(`${heading}\n`);
		const [table = ''] = section.split(/^#/m);
		const rows = [...table.matchAll(/^\| (.*?) +\|/gm)].map(([, message]) => message).slice(2);
		expect(rows.length).toBeGreaterThan(0);
		expect(rows.filter((message) => !headlines.includes(message ?? ''))).toEqual([]);
	},
);

test('each message that leaves the outcome open has a row', () => {
	const [, table = ''] = page.split('## Messages\n');
	const open = headlines.filter((headline) => headline.startsWith("Couldn't see"));
	expect(open.length).toBeGreaterThan(0);
	expect(open.filter((headline) => !table.includes(`| ${headline} `))).toEqual([]);
});
