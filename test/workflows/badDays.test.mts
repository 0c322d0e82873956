/** Each promise in the table "Bad days" of workflows/README.md is shown by a test; here is which one. */
import { globSync, readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

const later = 'sends later what Slack and the mail server refused';
const polled = 'the service is away while n8n starts; afterwards events come';
const twice = 'nothing is lost when processes are killed';
const missed = 'by polling when no delivery arrived or its workflow failed';
const fails = 'fails and sends nothing when the service or Slack is down';

/** By workflow, in the order of the columns: a part of the title of a test in test/e2e. */
const shownBy: Record<string, Array<string | undefined>> = {
	'Watchdog alert': [later, polled, undefined, undefined, twice],
	'Watchdog routing': [later, polled, undefined, undefined, twice],
	'Low credits': [later, polled, later, undefined, twice],
	'Exchange news': [later, polled, undefined, undefined, twice],
	'Scheduled auto-accept': [
		'when Slack is down the run fails, and what was accepted stays accepted',
		'503 at each %s %s of a run: nothing is claimed, and the next run goes on',
		'says that the credits do not suffice, and goes on when they do',
		'two runs at once pay once',
		'after "%s": paid once, and the next run decides about the rest',
	],
	'Offer approval': [
		'asks when Slack is back',
		'%s at the accept: says what is known',
		'an approved offer that the credits do not suffice for: says so',
		'two questions about one offer',
		'killed (-9) after "%s": paid once at most',
	],
	'Weekly report': [fails, fails, undefined, undefined, undefined],
	'Bulk add sites': [
		undefined,
		'says of each row what the service did not take, and the same file once more adds it',
		undefined,
		'two uploads of the same file at once',
		'n8n killed while it adds',
	],
	'AI link manager': [
		'accepts nothing when nobody can be asked because Slack is down',
		'tells the model that the service is away, and answers',
		'keeps the credit floor, and tells the model',
		'pays once when two chats want the same offer',
		'n8n killed while the person thinks it over',
	],
	'Webhook and polling': [undefined, missed, undefined, undefined, missed],
};

/** The same on a day on which the limit of requests is reached. */
const atTheLimit = [
	'%s fails and sends nothing',
	'offer approval says that an approved offer was not accepted, and why',
	'bulk add sites says so of each row, and the same file adds them later',
];

const tests = globSync('test/e2e/**/*.test.mts').map((file) => readFileSync(file, 'utf8'));
const isTested = (title: string) => tests.some((text) => text.includes(title));

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
	expect(shown.filter((title) => title !== undefined && !isTested(title))).toEqual([]);
});

it('each promise about the limit of requests is shown by a test', () => {
	expect(atTheLimit.filter((title) => !isTested(title))).toEqual([]);
});
