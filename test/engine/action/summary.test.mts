/**
 * Account → Get Summary: the weekly report on the account and each site, which omits unknown values
 * instead of guessing.
 */
import { afterEach, describe, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { singleVariants } from '../../../sandbox/dialects.mts';
import { jsonOf, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();
const day = 24 * 3_600_000;
const ago = (days: number) => new Date(Date.now() - days * day).toISOString();

test.each(singleVariants('exchangeList'))(
	'summarizes the last days of an account: $name',
	async ({ settings }) => {
		const { sandbox, run } = await startTestService({ credits: 100, dialect: settings });
		const [old = '', accepted = '', live = '', broken = ''] = [1, 2, 3, 4].map(
			() => sandbox.requestOffer({ cost: 10 }).id,
		);
		sandbox.accept(old);
		await time.wait(8 * day);
		for (const id of [accepted, live, broken]) sandbox.accept(id);
		for (const id of [live, broken]) sandbox.publish(id);
		sandbox.breakLink(broken);
		sandbox.requestOffer();
		const [summary] = jsonOf(await run('account', 'getSummary'));
		const { message } = summary as { message: string };
		expect(summary).toMatchObject({
			days: 7,
			balance: sandbox.books.balance(),
			pendingIncoming: 1,
			pendingOutgoing: 0,
			accepted: 2,
			live: 1,
			broken: 1,
			acceptedInPeriod: 3,
			publishedInPeriod: 2,
			alerts: 1,
			alertsBySeverity: '1 high',
		});
		expect(summary).toMatchObject({
			title: 'Last 7 days: 3 accepted, 2 published, 1 alert, 1 late',
			overdue: 1,
		});
		expect(message.split('\n').slice(0, 6)).toEqual([
			'In the last 7 days, 3 offers were accepted, 2 links were published, and there was 1 alert (1 high).',
			`Credits: you have ${sandbox.books.balance()} left.`,
			"Offers: 1 pending from partners and 2 accepted that aren't published yet.",
			"Late: 1 offer was accepted more than 7 days ago, and the link isn't published. The oldest first:",
			'- partner.example → your-site.example, an offer from a partner, accepted 8 days ago',
			'Links: 1 live and 1 broken.',
		]);
	},
);

const account = { balance: 70, lifetime_earned: 100, lifetime_spent: 30 };

/** Returns the summary of a service with these responses, this many days later. */
async function getSummary({
	ahead = 0,
	more = {},
	timezone,
	...lists
}: Record<string, unknown> & { ahead?: number; timezone?: string }) {
	const { run } = await startStubServer((request, response) => {
		const { pathname } = new URL(request.url ?? '', 'http://x');
		const name = pathname.split('/').at(-1) ?? '';
		const date = new Date(Date.now() + ahead * day).toUTCString();
		const body = name === 'balance' ? (lists.credits ?? account) : { [name]: lists[name] ?? [] };
		json({ ...body, ...(more as object) }, { date })(request, response);
	});
	const [summary] = jsonOf(
		await run('account', 'getSummary', { ...(timezone !== undefined && { timezone }) }),
	);
	return { summary, lines: (summary?.message as string).split('\n') };
}

const createSites = (...names: string[]) =>
	names.map((name) => ({ id: `site_${name}`, url: `https://${name}.example` }));

test('reports totals, sites with changes, worst first, and alerts with the page of their link', async () => {
	const exchanges = [
		{ id: 1, status: 'pending', from_site: 'https://a.example', to_site: 'https://tea.example' },
		// Both ends are sites of the account: counted for both sites, once in the totals.
		{
			id: 2,
			status: 'live',
			from_site: 'https://tea.example',
			to_site: 'site_kites',
			published_at: ago(1),
			accepted_at: ago(2),
		},
		{
			id: 3,
			status: 'broken',
			from_site: 'https://b.example',
			to_site: 'https://Bücher.example',
			accepted_at: ago(30),
			published_at: ago(20),
			live_url: 'https://b.example/x',
			anchor: 'Essen & Trinken',
		},
		{
			id: 4,
			status: 'live',
			from_site: 'https://c.example',
			to_site: 'https://calm.example',
			accepted_at: ago(30),
			published_at: ago(20),
		},
	];
	const events = [
		{
			exchange_id: 3,
			severity: 'critical',
			type: 'link_removed',
			detail: 'gone',
			created_at: ago(1),
		},
		{
			exchange_id: 4,
			severity: 'critical',
			type: 'link_removed',
			detail: 'gone',
			created_at: ago(9),
		},
	];
	const sites = createSites('tea', 'kites', 'calm', 'Bücher');
	const { summary, lines } = await getSummary({ exchanges, events, sites });
	expect(lines).toEqual([
		'In the last 7 days, 1 offer was accepted, 1 link was published, and there was 1 alert (1 critical).',
		'Credits: you have 70 left.',
		"Offers: 1 pending from partners and 0 accepted that aren't published yet.",
		'Links: 2 live and 1 broken.',
		'Your sites:',
		'- Bücher.example: 1 alert (1 critical) and 1 broken link',
		'- tea.example: 1 pending offer, 1 offer accepted, and 1 link published',
		'- kites.example: 1 offer accepted and 1 link published',
		'- 1 more without changes',
		'Alerts, the newest first:',
		'- New alert (critical, link removed): the link from https://b.example/x to Bücher.example with the anchor “Essen & Trinken” is gone. Ask b.example to restore it.',
	]);
	expect(summary?.sites).toMatchObject([
		{
			site: 'tea.example',
			pendingIncoming: 1,
			live: 1,
			acceptedInPeriod: 1,
			publishedInPeriod: 1,
			alerts: 0,
		},
		{
			site: 'kites.example',
			pendingIncoming: 0,
			live: 1,
			acceptedInPeriod: 1,
			publishedInPeriod: 1,
		},
		{ site: 'calm.example', live: 1, acceptedInPeriod: 0, publishedInPeriod: 0, alerts: 0 },
		{ site: 'Bücher.example', broken: 1, alerts: 1, alertsBySeverity: '1 critical' },
	]);
});

test('keeps 25 sites with changes and 15 alerts within 3,500 characters, and counts the others', async () => {
	const name = 'a-long-name-of-a-site-that-somebody-owns';
	const sites = createSites(...Array.from({ length: 25 }, (_, index) => `${name}-${index}`));
	const exchanges = sites.map(({ id, url }) => ({
		id,
		status: 'live',
		from_site: 'https://partner.example',
		to_site: id,
		live_url: `https://partner.example/${'path/'.repeat(20)}`,
		anchor: `the best ${url}`,
		published_at: ago(1),
	}));
	const events = exchanges.slice(0, 15).map(({ id }) => ({
		...{ exchange_id: id, severity: 'critical', type: 'link_removed' },
		...{ detail: 'The page answers with 404 '.repeat(6), created_at: ago(1) },
	}));
	const { summary, lines } = await getSummary({ exchanges, events, sites });
	expect((summary?.message as string).length).toBeLessThanOrEqual(3500);
	expect(lines.length).toBeLessThanOrEqual(30);
	const siteCount = lines.filter((line) => line.startsWith(`- ${name}`)).length;
	expect(lines).toContain(`- and ${25 - siteCount} more sites with changes`);
	const alertCount = lines.filter((line) => line.startsWith('- New alert')).length;
	expect(lines.at(-1)).toBe(`- and ${15 - alertCount} more links with alerts`);
	expect(Math.min(siteCount, alertCount)).toBeGreaterThanOrEqual(2);
});

test('keeps alerts of 300 severities within 3,500 characters', async () => {
	const events = Array.from({ length: 300 }, (_, index) => ({
		...{ severity: `severity number ${index}`, type: 't', detail: 'd', created_at: ago(1) },
	}));
	const { summary, lines } = await getSummary({ events, sites: createSites('tea', 'kites') });
	expect((summary?.message as string).length).toBeLessThanOrEqual(3500);
	expect(lines[0]).toMatch(/1 severity number 9, and 290 more severities\)/);
	expect(summary?.alerts).toBe(300);
});

describe('the period of weekly reports at the same hour in Berlin', () => {
	const zone = 'Europe/Berlin';

	/** Returns which of two weekly reports count an exchange and an alert at this time. */
	async function getReports(reportTimes: string[], at: string) {
		const exchanges = [{ id: 1, status: 'accepted', accepted_at: at }];
		const events = [{ severity: 'critical', type: 't', detail: 'd', created_at: at }];
		const reports: Array<[number, number]> = [];
		for (const reportTime of reportTimes) {
			const hasHappened = Date.parse(reportTime) >= Date.parse(at);
			time.ahead = Date.parse(reportTime) - time.now();
			const lists = hasHappened ? { exchanges, events } : {};
			const { summary } = await getSummary({ ...lists, timezone: zone });
			reports.push([Number(summary?.acceptedInPeriod), Number(summary?.alerts)]);
		}
		return reports;
	}

	afterEach(() => {
		time.ahead = 0;
	});

	test.each([
		['in autumn', ['2026-10-19T06:00:00Z', '2026-10-26T07:00:00Z'], '2026-10-19T06:30:00Z', 1],
		['in spring', ['2026-03-23T07:00:00Z', '2026-03-30T06:00:00Z'], '2026-03-23T06:30:00Z', 0],
		[
			'without a change',
			['2026-06-01T06:00:00Z', '2026-06-08T06:00:00Z'],
			'2026-06-01T06:30:00Z',
			1,
		],
	])('counts each event once %s', async (_, reportTimes, at, index) => {
		const expected = [
			[0, 0],
			[0, 0],
		];
		expected[index] = [1, 1];
		expect(await getReports(reportTimes, at)).toEqual(expected);
	});
});

test('reports only totals for an account with one site', async () => {
	const { lines } = await getSummary({ sites: createSites('tea') });
	expect(lines).toEqual([
		'In the last 7 days, 0 offers were accepted, 0 links were published, and there were no alerts.',
		'Credits: you have 70 left.',
		"Offers: 0 pending from partners and 0 accepted that aren't published yet.",
		'Links: 0 live and 0 broken.',
	]);
});

const createdRecently = () => ({ created_at: ago(0.01) });

test("counts by the service's clock, and omits what has no time", async () => {
	const exchanges = [
		{ id: 1, status: 'accepted' },
		{ id: 2, status: 'live', published_at: ago(0) },
		{ id: 3, status: 'live', published_at: ago(6.5) },
	];
	const { summary, lines } = await getSummary({ exchanges, ahead: 1 });
	expect(summary).not.toHaveProperty('acceptedInPeriod');
	expect(lines[0]).toMatch(/^In the last 7 days, 1 link was published and there were no alerts\.$/);
});

test('counts alerts without a time, and notes that they may be older', async () => {
	const alert = { exchange_id: 'x', severity: 'critical', type: 'link_removed', detail: 'gone' };
	const { summary, lines } = await getSummary({
		events: [alert, { ...alert, ...createdRecently() }],
	});
	expect(summary?.alerts).toBe(2);
	expect(lines[0]).toMatch(
		/there were 2 alerts \(2 critical\)\. 1 of these alerts has no time and may be older\.$/,
	);
});

test('reports a truncated list, in the message and as a note', async () => {
	const { lines } = await getSummary({ more: { has_more: true } });
	expect(lines.join()).toContain('The list may be incomplete.');
});

test("fails with the service's response if one of its lists is unavailable", async () => {
	for (const path of ['sites', 'exchanges', 'credits', 'watchdog/events']) {
		const { sandbox, run } = await startTestService();
		sandbox.addFault({ kind: 'malformed-json', path: `/api/${path}`, times: 9 });
		const { error } = await run('account', 'getSummary');
		expect(error?.message, path).toBe(errorMessages.unexpectedResponse);
	}
});

test('uses the last known sites if they are unavailable', async () => {
	const { sandbox, run } = await startTestService();
	const [before] = jsonOf(await run('account', 'getSummary'));
	sandbox.addFault({ kind: 'malformed-json', path: '/api/sites', times: 9 });
	await time.wait(60_000);
	const after = await run('account', 'getSummary');
	expect(after.error?.message).toBeUndefined();
	expect(jsonOf(after)).toMatchObject([{ sites: before?.sites }]);
});

test('counts an exchange for the most specific site, and paths and IDs as written', async () => {
	const sites = [
		{ id: 'site_a', url: 'https://shop.example' },
		{ id: 'site_A', url: 'https://shop.example/de' },
	];
	const ends = ['https://www.shop.example/De', 'https://shop.example/de/tea', 'site_A', 'site_a'];
	const exchanges = ends.map((to_site, id) => ({ id, status: 'live', to_site }));
	const { summary } = await getSummary({ exchanges, sites });
	expect(summary?.sites).toMatchObject([{ live: 2 }, { live: 2 }]);
});

test('counts offers to you and offers to partners separately', async () => {
	const ends = [
		['https://x.example', 'https://tea.example'],
		['https://tea.example/page', 'https://x.example'],
		['site_tea', 'https://y.example'],
		['https://kites.example', 'site_tea'],
		['site_calm', 'https://x.example'],
		['https://x.example', 'https://new.example'],
	];
	const exchanges = ends.map(([from_site, to_site], id) => {
		return { id, status: 'pending', from_site, to_site };
	});
	const sites = createSites('tea', 'kites', 'calm');
	const { summary, lines } = await getSummary({ exchanges, sites });
	expect(summary).toMatchObject({ pendingIncoming: 3, pendingOutgoing: 3 });
	expect(summary?.sites).toMatchObject([
		{ pendingIncoming: 2, pendingOutgoing: 2 },
		{ pendingIncoming: 1, pendingOutgoing: 0 },
		{ pendingIncoming: 0, pendingOutgoing: 1 },
	]);
	expect(lines[2]).toContain(
		'Offers: 3 pending from partners, 3 waiting for partners, and 0 accepted',
	);
	expect(lines.slice(5)).toEqual([
		expect.stringContaining('tea.example: 2 pending offers and 2 offers waiting for partners'),
		expect.stringContaining('kites.example: 1 pending offer'),
		expect.stringContaining('1 more without changes'),
	]);
});

test('escapes text of third parties, and counts unreadable states', async () => {
	const severities = ['<!channel>', '__proto__', null];
	const events = severities.map((severity) => ({ severity, type: 't', detail: 'd' }));
	const exchanges = [
		{ id: 1, status: 'archived' },
		{ id: 3, status: 5 },
		{ id: 2, status: 'LIVE' },
	];
	const { summary } = await getSummary({ exchanges, events });
	expect(summary).toMatchObject({ live: 1, closed: 1, unreadable: 1 });
	expect(summary?.message).not.toMatch(/[<>]/);
	expect(summary?.alerts).toBe(severities.length);
	expect(summary?.alertsBySeverity).toBe('1 ‹!channel›, 1 __proto__, 1 without a severity');
});

test('lists the ten oldest links that are late, in both directions', async () => {
	const sites = createSites('tea');
	const exchanges = Array.from({ length: 12 }, (_, index) => ({
		id: index,
		status: 'accepted',
		accepted_at: ago(10 + index),
		...(index === 11
			? { from_site: 'https://tea.example', to_site: 'https://x.example' }
			: { from_site: `https://p${index}.example`, to_site: 'https://tea.example' }),
	}));
	const { summary, lines } = await getSummary({ exchanges, sites });
	expect(summary).toMatchObject({ overdue: 12, accepted: 12 });
	const start = lines.findIndex((line) => line.startsWith('Late: 12 offers were accepted'));
	expect(lines.slice(start + 1, start + 3)).toEqual([
		'- tea.example → x.example, your own offer, accepted 21 days ago',
		'- p10.example → tea.example, an offer from a partner, accepted 20 days ago',
	]);
	expect(lines[start + 11]).toBe('- and 2 more');
});

test('shows a link once, with its newest alert first', async () => {
	const exchanges = [
		{ id: 1, status: 'live' },
		{ id: 2, status: 'live' },
	];
	const alert = (exchange_id: number, type: string, days: number) => ({
		...{ exchange_id, severity: 'high', type, created_at: ago(days) },
	});
	const events = [alert(1, 'nofollow', 3), alert(2, 'slow_page', 2), alert(1, 'noindex', 1)];
	const { lines } = await getSummary({ exchanges, events });
	const alerts = lines.slice(lines.indexOf('Alerts, the newest first:') + 1);
	expect(alerts).toEqual([
		expect.stringMatching(/^- New alert \(high, noindex\).*\(and 1 more alert\)$/),
		expect.stringMatching(/^- New alert \(high, slow page\)/),
	]);
});

test('a report fails for a site that the account lacks, and includes pages and subdomains of one', async () => {
	const { sandbox, run } = await startTestService();
	sandbox.addSite({ url: 'https://tea.example', niche: 'tea' });
	const report = (sites: string) =>
		run('account', 'getSummary', { parameters: { filters: { sites } } });
	expect((await report('tea.example, tae.example')).error).toMatchObject({
		message: errorMessages.siteNotListed('tae.example'),
		description: expect.stringContaining("'Sites'") as unknown,
	});
	for (const sites of ['tea.example', 'https://www.tea.example/blog', 'blog.tea.example']) {
		expect((await report(sites)).error, sites).toBeUndefined();
	}
});

test('names a site that was chosen by its ID by its URL', async () => {
	const { sandbox, run } = await startTestService();
	const { id } = sandbox.addSite({ url: 'https://tea.example', niche: 'tea' });
	const parameters = { filters: { sites: [id] } };
	const [report] = jsonOf(await run('account', 'getSummary', { parameters }));
	expect(report?.title).toBe('Last 7 days for tea.example: 0 accepted, 0 published, 0 alerts');
});

test('30 clients get 30 reports, each with its own exchanges and alerts, and without the balance', async () => {
	const names = Array.from({ length: 30 }, (_, index) => `client-${index}`);
	const sites = createSites(...names);
	const exchanges = Array.from({ length: 300 }, (_, index) => ({
		id: `exc_${index}`,
		status: index % 2 === 0 ? 'accepted' : 'live',
		accepted_at: ago(20),
		published_at: index % 2 === 0 ? null : ago(1),
		from_site: `https://partner-of-${index % 30}.example`,
		to_site: `https://client-${index % 30}.example`,
	}));
	const events = exchanges.map(({ id }) => ({
		...{ exchange_id: id, severity: 'high', type: 'nofollow', created_at: ago(1) },
	}));
	const { run } = await startStubServer((request, response) => {
		const name = new URL(request.url ?? '', 'http://x').pathname.split('/').at(-1) ?? '';
		const lists: Record<string, unknown> = { sites, exchanges, events };
		json({ [name]: lists[name] })(request, response);
	});
	const items = names.map((name) => ({ site: `https://${name}.example` }));
	const parameters = { filters: { sites: '={{ $json.site }}' } };
	const reports = jsonOf(await run('account', 'getSummary', { items, parameters }));
	expect(reports).toHaveLength(30);
	for (const [index, report] of reports.entries()) {
		expect(report).not.toHaveProperty('balance');
		expect(report).toMatchObject({ alerts: 10, sites: [{ site: `client-${index}.example` }] });
		const text = JSON.stringify(report);
		const others = [...text.matchAll(/client-(\d+)\.example|partner-of-(\d+)\.example/g)];
		expect(others.length).toBeGreaterThan(0);
		expect(others.every(([, client, partner]) => Number(client ?? partner) === index)).toBe(true);
	}
});
