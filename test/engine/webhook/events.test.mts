/** Which events start the workflow: those selected under Trigger On that pass the filters. */
import { expect, it } from 'vitest';

import { begin, deliver, runs } from './deliver.mts';
import type { WebhookServer } from './webhookServer.mts';

const accepted = { id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' };
const received = { status: 200, message: 'Received' };
const ignored = { status: 200, message: 'Ignored: the workflow does not use this event' };

it.each(['ignore', 'trigger'])(
	'events that are not selected are ignored (%s)',
	async (unknownEvents) => {
		const server = await begin({ events: ['watchdog.alert'], options: { unknownEvents } });
		expect(await deliver(server, JSON.stringify(accepted))).toEqual(ignored);
		expect(runs(server)).toBe(0);
		expect(server.logged).toEqual([]);
	},
);

it('events that are unknown are ignored, or start the workflow if it is asked to', async () => {
	const body = JSON.stringify({ event: 'credit.low', data: { balance: 3 } });
	const server = await begin();
	expect(await deliver(server, body)).toEqual(ignored);
	expect(runs(server)).toBe(0);
	server.parameters = { ...server.parameters, options: { unknownEvents: 'trigger' } };
	expect(await deliver(server, body)).toEqual(received);
	expect(server.executions).toMatchObject([[{ event: 'credit.low', data: { balance: 3 } }]]);
});

it('GET and HEAD are answered 200 and start nothing', async () => {
	const server = await begin();
	expect(await (await fetch(server.url)).text()).toContain('receives deliveries by POST');
	expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200);
	expect(runs(server)).toBe(0);
});

const alert = { exchange_id: 'exc_1', type: 'gone', detail: '' };
const offer = { id: 'exc_1', anchor: 'a', from_site: 'https://other.example/' };

/** Those of the payloads that start the workflow; each is answered 200. */
async function takenOf(server: WebhookServer, payloads: readonly object[]) {
	for (const payload of payloads) {
		expect((await deliver(server, JSON.stringify(payload))).status).toBe(200);
	}
	runs(server);
	return server.executions.flat().map(({ data }) => data);
}

/** As the editor saves what a person chooses or enters in a row. */
const row = (mode: string, value: string) => ({ __rl: true, mode, value });

it.each([
	['a text', 'https://mine.example/, site_2, tea.example', 'critical, High, 5'],
	[
		'rows',
		[row('list', 'https://mine.example, site_2'), row('id', 'tea.example')],
		[row('name', 'critical'), row('list', 'High'), row('list', ''), row('name', '5')],
	],
	[
		'one row',
		[row('id', 'https://mine.example, site_2; tea.example')],
		[row('name', 'critical, high; 5')],
	],
	[
		'an array of an expression',
		'={{ ["https://mine.example", "site_2", "tea.example"] }}',
		'={{ ["critical", "high", "5"] }}',
	],
	[
		'an expression in a row',
		[row('id', '={{ ["mine.example", "site_2", "tea.example"] }}')],
		[row('name', '={{ ["critical", "high", "5"] }}')],
	],
])(
	'that the filters leave out start nothing, whether they are %s',
	async (_, sites, severities) => {
		const server = await begin({ filters: { sites, severities } as never });
		const taken = [
			...['Critical', 'HIGH', 5].map((severity) => ({ ...alert, severity })),
			...['HTTP://www.mine.example', 'site_2', 'https://tea.example/'].map((site) => ({
				...offer,
				to_site: site,
			})),
			accepted,
		];
		const other = { id: 'site_7', url: 'https://other.example/' };
		const leftOut = [
			...['low', 3].map((severity) => ({ ...alert, severity })),
			{ ...offer, from_site: other, to_site: other },
		];
		expect(await takenOf(server, [...leftOut, ...taken])).toEqual(taken);
	},
);

it('a site that was chosen from the list leaves out others, in whichever form they are named', async () => {
	const server = await begin({ filters: { sites: [row('list', 'https://mine.example, site_2')] } });
	const others = ['https://other.example', 'site_3'];
	const offers = others.map((site) => ({ ...offer, from_site: site, to_site: site }));
	expect(await takenOf(server, offers)).toEqual([]);
});

it.each(['', ' ', null, [], [row('list', '')], [row('list', ''), row('id', ' ')]])(
	'a filter that was added and left empty, %j, leaves out nothing',
	async (empty) => {
		const server = await begin({ filters: { sites: empty, severities: empty } as never });
		const payloads = [accepted, { ...alert, severity: 'low' }];
		expect(await takenOf(server, payloads)).toEqual(payloads);
	},
);

it('events name the page: its whole address, clickable, and harmless', async () => {
	const server = await begin();
	const page = 'https://kettle-review.example/articles/grüner tee?a=1&lt=<!channel>';
	const published = { id: 'exc_1', published_at: 1 };
	await takenOf(
		server,
		[page, 'ftp://x.example'].map((url) => ({ ...published, live_url: url })),
	);
	const link = 'https://kettle-review.example/articles/gr%C3%BCner%20tee?a=1&%6Ct=%3C%21channel%3E';
	const message = `Link published: the link from ${link} is live, exchange "exc_1"`;
	const [[item] = [], [other] = []] = server.executions;
	expect(item).toMatchObject({ message, link, data: { live_url: page } });
	expect(other).not.toHaveProperty('link');
});

it('events that come in a batch start one execution, with an item for each that is known', async () => {
	const server = await begin();
	const batch = [accepted, { ...accepted, id: 'exc_2' }];
	const events = [...batch, { event: 'credit.low', data: { balance: 3 } }];
	expect(await deliver(server, JSON.stringify({ events }))).toEqual(received);
	const items = batch.map((data) => ({ event: 'exchange.accepted', data }));
	expect(server.executions).toMatchObject([items]);
	expect(server.logged).toEqual([expect.stringContaining('does not recognize')]);
});
