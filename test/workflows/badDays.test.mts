/** Each promise in the table "Bad days" of workflows/README.md is shown by a test; here is which one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

/** By workflow and column of the table: a file in test/e2e/workflows, and a part of the title of a test in it. */
const shownBy: Record<string, Record<string, [file: string, title: string]>> = {
	'Tell Slack and email': {
		channel: ['tell', 'keeps the news while Slack is %s'],
		together: ['tell', 'tells once when two runs meet'],
		killed: ['killed', 'telling, killed after "%s"'],
	},
	'Scheduled auto-accept': {
		channel: ['autoAccept', 'tells everything later when Slack was %s'],
		limit: ['requestLimit', 'auto-accept waits, and accepts all'],
		credits: ['autoAccept', 'tells that the credits do not suffice, once for each reason'],
		failing: ['badDays', 'auto-accept: 503 at each %s %s of a run'],
		lagging: ['badDays', 'auto-accept: a list that is %s'],
		together: ['twoWorkers', 'auto-accept: each offer is asked for once, and told once'],
		killed: ['killed', 'auto-accept, killed after "%s"'],
	},
	'Offer approval': {
		channel: ['offerApproval', 'tells that nobody could be asked when Slack was down'],
		limit: ['requestLimit', 'offer approval says that nothing was spent, and why'],
		credits: ['offerApproval', 'says that the credits do not suffice'],
		failing: ['badDays', 'offer approval: %s at the accept'],
		lagging: ['badDays', 'offer approval: a list that is %s'],
		together: ['offerApproval', 'accepts once when two runs have asked about the same offer'],
		killed: ['killedOthers', 'killed after "%s", when somebody had approved'],
	},
	'Watchdog routing': {
		channel: ['watchdogRouting', 'loses nothing of an array with a critical and a warning alert'],
		together: ['watchdogRouting', 'with the same alert told once'],
		killed: ['killedOthers', 'killed after "%s": told once, when it is called again'],
	},
	'Low credits': {
		channel: ['lowCredits', 'warns when Slack is up again'],
		limit: ['requestLimit', 'beyond the longest wait, each says so and does nothing'],
		credits: ['lowCredits', 'warns once per crossing'],
		failing: ['badDays', '%s: 503 at each request in turn'],
		together: ['lowCredits', 'warns once when two runs meet'],
		killed: ['killedOthers', '%s (%s), killed after "%s"'],
	},
	'Weekly report': {
		channel: ['weeklyReport', 'tells a report that did not arrive'],
		limit: ['requestLimit', 'beyond the longest wait, each says so and does nothing'],
		failing: ['badDays', '%s: 503 at each request in turn'],
		together: ['weeklyReport', 'tells one report when two runs meet'],
		killed: ['killedOthers', '%s (%s), killed after "%s"'],
	},
	'Bulk add sites': {
		limit: ['requestLimit', 'bulk add waits, and adds all'],
		failing: ['bulkAddSites', 'tells of each row when the service fails for one of them'],
		together: ['bulkAddSites', 'two uploads of the same file at once'],
		killed: ['killedOthers', 'bulk add sites, killed while it adds'],
	},
	'AI link manager': {
		channel: ['aiLinkManager', 'accepts nothing when nobody can be asked because Slack is down'],
		limit: ['requestLimit', 'beyond the longest wait, each says so and does nothing'],
		credits: ['aiLinkManager', 'keeps the credit floor, and tells the model'],
		failing: ['aiLinkManager', 'tells the model what became of an accept that met %s'],
		lagging: ['aiLinkManager', 'pays once when two chats want the same offer'],
		together: ['aiLinkManager', 'pays once when two chats want the same offer'],
		killed: ['aiLinkManager', 'n8n killed while the person thinks it over'],
	},
	'Tell failures': {
		channel: ['failures', 'tells which workflow failed, where and why, once'],
		together: ['failures', 'tells which workflow failed, where and why, once'],
		killed: ['killedOthers', 'tell failures, killed after "%s"'],
	},
};
const columns = ['channel', 'limit', 'credits', 'failing', 'lagging', 'together', 'killed'];

const readme = readFileSync('workflows/README.md', 'utf8');
const section = readme.slice(readme.indexOf('## Bad days'));
const table = section
	.split('\n')
	.filter((line) => line.startsWith('|'))
	.slice(2)
	.map((line) =>
		line
			.split('|')
			.slice(1, -1)
			.map((cell) => cell.trim()),
	)
	.filter((row) => row.length === columns.length + 1);

it('has a row for each workflow that has bad days', () => {
	expect(table.map(([name]) => name)).toEqual(Object.keys(shownBy));
});

it.each(table)('%s: each promise is shown by a test, and each test has its promise', (...row) => {
	const [name = '', ...cells] = row;
	// A letter stands for the reason why such a day does not come.
	const reason = /^\(([a-z])\)$/;
	const promised = columns.filter((_, index) => !reason.test(cells[index] ?? ''));
	expect(Object.keys(shownBy[name] ?? {})).toEqual(promised);
	for (const cell of cells) {
		const [, letter] = reason.exec(cell) ?? [];
		if (letter !== undefined) expect(section).toContain(`\n- (${letter}) `);
	}
	for (const [file, title] of Object.values(shownBy[name] ?? {})) {
		const path = join('test/e2e/workflows', `${file}.test.mts`);
		expect(readFileSync(path, 'utf8'), path).toContain(title);
	}
});
