/** Each promise in the table "Bad days" of workflows/README.md is shown by a test; here is which one. */
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

type Shown = [file: string, title: string] | undefined;

const later: Shown = [
	'workflows/notifications',
	'sends later what Slack and the mail server refused',
];
const polled: Shown = [
	'redelivery/redelivery',
	'the service is away while n8n starts; afterwards events come',
];
const twice: Shown = ['redelivery/redelivery', 'nothing is lost when processes are killed'];
const bulk = (title: string): Shown => ['workflows/bulkAddSites', title];
const accept = (title: string): Shown => ['workflows/autoAccept', title];
const approval = (title: string): Shown => ['workflows/offerApproval', title];
const chat = (title: string): Shown => ['workflows/aiLinkManager', title];
const missed: Shown = [
	'workflows/webhookEvents',
	'by polling when no delivery arrived or its workflow failed',
];
const fails: Shown = [
	'workflows/reports',
	'fails and sends nothing when the service or Slack is down',
];

/** The same on a day on which the limit of requests is reached, in `workflows/requestLimit`. */
const atTheLimit = [
	'%s fails and sends nothing',
	'offer approval says that an approved offer was not accepted, and why',
	'bulk add sites says so of each row, and the same file adds them later',
];

/** By workflow, in the order of the columns: a file in test/e2e, and a part of the title of a test in it. */
const shownBy: Record<string, Shown[]> = {
	'Watchdog alert': [later, polled, undefined, undefined, twice],
	'Watchdog routing': [later, polled, undefined, undefined, twice],
	'Low credits': [later, polled, later, undefined, twice],
	'Exchange news': [later, polled, undefined, undefined, twice],
	'Scheduled auto-accept': [
		accept('when Slack is down the run fails, and what was accepted stays accepted'),
		accept('503 at each %s %s of a run: nothing is claimed, and the next run goes on'),
		accept('says that the credits do not suffice, and goes on when they do'),
		accept('two runs at once pay once'),
		accept('after "%s": paid once, and the next run decides about the rest'),
	],
	'Offer approval': [
		approval('asks when Slack is back'),
		approval('%s at the accept: says what is known'),
		approval('an approved offer that the credits do not suffice for: says so'),
		approval('two questions about one offer'),
		approval('killed (-9) after "%s": paid once at most'),
	],
	'Weekly report': [fails, fails, undefined, undefined, undefined],
	'Bulk add sites': [
		undefined,
		bulk('says of each row what the service did not take, and the same file once more adds it'),
		undefined,
		bulk('two uploads of the same file at once'),
		bulk('n8n killed while it adds'),
	],
	'AI link manager': [
		chat('accepts nothing when nobody can be asked because Slack is down'),
		chat('tells the model that the service is away, and answers'),
		chat('keeps the credit floor, and tells the model'),
		chat('pays once when two chats want the same offer'),
		chat('n8n killed while the person thinks it over'),
	],
	'Webhook and polling': [undefined, missed, undefined, undefined, missed],
};

const readme = readFileSync('workflows/README.md', 'utf8');
const table = readme
	.slice(readme.indexOf('## Bad days'))
	.split('\n')
	.filter((line) => line.startsWith('|'))
	.slice(2)
	.map((line) => line.split('|').slice(1, -1))
	.map((row) => row.map((cell) => cell.trim()));

it('has a row for each workflow that has bad days of its own', () => {
	expect(table.map(([name]) => name)).toEqual(Object.keys(shownBy));
});

it.each(table)('%s: each promise is shown by a test, and each test has its promise', (...row) => {
	const [name = '', ...cells] = row;
	const shown = shownBy[name] ?? [];
	expect(cells.map((cell) => cell !== '')).toEqual(shown.map((each) => each !== undefined));
	for (const [file, title] of shown.filter((each) => each !== undefined)) {
		const path = `test/e2e/${file}.test.mts`;
		expect(readFileSync(path, 'utf8'), path).toContain(title);
	}
});

it.each(atTheLimit)('at the limit of requests: %s', (title) => {
	expect(readFileSync('test/e2e/workflows/requestLimit.test.mts', 'utf8')).toContain(title);
});
