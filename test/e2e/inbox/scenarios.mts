/**
 * What the event inbox has to withstand, at any size. Each asserts on the books of the receiving end and returns its figures.
 */
import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Event, Rig } from './rig.mts';
import { until, untilFewWait, untilQuiet } from './waiting.mts';

/** What was measured, for a table. */
export type Figures = Record<string, number | string>;

/** Pauses of seconds instead of minutes. */
export const quickly = {
	polls: true,
	clockSeconds: 15,
	settings: { maxTries: 3, firstPauseMinutes: 0.05, longestRunMinutes: 1 },
};

/** The clock as it comes. Every 15 seconds, so many executions would look at a long queue that they hinder each other. */
export const patiently = { ...quickly, clockSeconds: 300 };

export const offer = (id: string): Event => ({
	event: 'exchange.requested',
	data: { id, from_site: 'https://a.example', to_site: 'https://b.example', anchor: 'cars' },
});

export const alert = (id: string, detail = 'nofollow'): Event => ({
	event: 'watchdog.alert',
	data: { exchange_id: id, severity: 'warning', type: 'link_changed', detail },
});

const keyOf = (id: string) => `exchange.requested:${id}`;

/** Delivers until it is taken, as the service would. */
export async function deliver(
	rig: Rig,
	origin: () => string | undefined,
	events: Event[],
): Promise<void> {
	for (let attempt = 0; attempt < 600; attempt++) {
		const to = origin();
		const status = to === undefined ? 0 : await rig.deliver(to, events).catch(() => 0);
		if (status === 200) return;
		await sleep(500);
	}
	throw new Error('a delivery was never taken');
}

/** The first event makes the table, and shows that all processes are up; the first poll has taken note of what is there. */
export async function begin(rig: Rig): Promise<void> {
	const polls = () =>
		rig.sandbox.books.requests().filter(({ path }) => path.includes('/exchanges'));
	await until('first poll', () => polls().length, 1);
	for (const [index, origin] of rig.origins.entries()) {
		await deliver(rig, () => origin, [offer(`first-${index}`)]);
	}
	await until('first events', () => rig.books.calls.length, rig.origins.length);
}

/** Many events, and then some more: each is worked on, once. */
export async function volume(rig: Rig, count: number, perDelivery: number): Promise<Figures> {
	const ids = Array.from({ length: count }, (_, index) => `volume-${index}`);
	const start = performance.now();
	const done = () => rig.books.calls.filter(({ eventKey }) => eventKey.includes(':volume-')).length;
	for (const [index, group] of groups(ids, perDelivery).entries()) {
		const origin = rig.origins[index % rig.origins.length];
		await deliver(rig, () => origin, group.map(offer));
		await until('events worked on', done, (index - 5) * perDelivery);
	}
	await until('events worked on', done, count);
	const seconds = (performance.now() - start) / 1000;
	const after = Array.from({ length: 20 }, (_, index) => `after-${index}`);
	for (const id of after) await deliver(rig, () => rig.origins[0], [offer(id)]);
	const doneAfter = () =>
		rig.books.calls.filter(({ eventKey }) => eventKey.includes(':after-')).length;
	await until('events after them', doneAfter, after.length);
	await untilQuiet(rig);
	const counts = rig.books.counts();
	for (const id of [...ids, ...after]) assert.equal(counts.get(keyOf(id)), 1, id);
	return {
		events: count,
		lost: 0,
		twice: 0,
		'after them': after.length,
		'events per second': (count / seconds).toFixed(1),
	};
}

/**
 * Each event by webhook five times, three of them at the same moment and to different processes, and by polling as well:
 * worked on exactly once.
 */
export async function overlap(rig: Rig, count: number): Promise<Figures> {
	const offers = Array.from({ length: count }, () => rig.sandbox.requestOffer());
	for (const group of groups(offers, 5)) {
		await untilFewWait(rig);
		await Promise.all(
			group.flatMap(({ id }) =>
				[0, 1, 0].map(async (process, copy) => {
					// Other bytes each time, so that nothing in front of the inbox can take them for one delivery.
					const event = { ...offer(id), copy };
					const origin = rig.origins[process % rig.origins.length];
					await deliver(rig, () => origin, [event]);
				}),
			),
		);
	}
	const again = offers.map(({ id }) => offer(id));
	for (const group of [...groups(again, 25), ...groups([...again].reverse(), 25)]) {
		await untilFewWait(rig);
		await deliver(rig, () => rig.origins.at(-1), group);
	}
	// What only polling knows comes with a look that has shown all the others as well.
	const unsent: Array<{ id: string }> = [];
	const requestUnsent = async (length: number) => {
		unsent.push(...Array.from({ length }, () => rig.sandbox.requestOffer()));
		const handedOn = () => unsent.filter(({ id }) => rig.books.counts().has(keyOf(id))).length;
		await until('events by polling', handedOn, unsent.length);
		await untilQuiet(rig);
	};
	const alerts = [1, 2, 3].map(() => rig.sandbox.alert({ exchangeId: crypto.randomUUID() }));
	await requestUnsent(5);
	// With the look that shows this one the others come again, and are not written again.
	const polled = () => rig.rows(`"source" = 'poll'`).length;
	const polledBefore = polled();
	await requestUnsent(1);
	assert.equal(polled() - polledBefore, 1);
	const alertRows = rig.rows(`"source" = 'poll' AND "event" = 'watchdog.alert'`);
	const isAboutThem = ({ eventKey }: { eventKey: string }) =>
		alerts.some(({ exchangeId }) => eventKey.includes(`:${exchangeId}:`));
	assert.deepEqual(
		alertRows.filter(isAboutThem).map(({ state }) => state),
		['done', 'done', 'done'],
	);
	const all = [...offers, ...unsent];
	const counts = rig.books.counts();
	for (const { id } of all) assert.equal(counts.get(keyOf(id)), 1, id);
	const keys = new Set(all.map(({ id }) => keyOf(id)));
	const rows = rig.rows().filter(({ eventKey }) => keys.has(eventKey));
	assert.equal(rows.filter(({ state }) => state === 'done').length, all.length);
	assert.equal(rows.filter(({ state }) => state === 'repeated').length, rows.length - all.length);
	const webhooks = rows.filter(({ source }) => source === 'webhook').length;
	return {
		events: all.length,
		'rows by webhook': webhooks,
		'by polling': rows.length - webhooks,
		lost: 0,
		twice: 0,
	};
}

/** Processes are killed in turn while events arrive. What was worked on twice was claimed twice, in the same row. */
export async function kills(rig: Rig, count: number, rounds: number): Promise<Figures> {
	const offers: string[] = [];
	const allKilled = (async () => {
		for (let round = 0; round < rounds; round++) {
			await until(
				'events before the next kill',
				() => offers.length,
				(count * (round + 0.3)) / rounds,
			);
			await rig.killAndRestart((round + 1) % rig.processes.length);
		}
	})();
	// It may fail while something else is awaited; the await below tells of it, and n8n is stopped as after every failure.
	allKilled.catch(() => undefined);
	for (let index = 0; index < count; index += 5) {
		await untilFewWait(rig);
		const group = Array.from({ length: 5 }, () => rig.sandbox.requestOffer().id);
		offers.push(...group);
		await deliver(rig, () => rig.origins[(index / 5) % rig.origins.length], group.map(offer));
	}
	await allKilled;
	const missing = () => {
		const counts = rig.books.counts();
		return offers.filter((id) => !counts.has(keyOf(id)));
	};
	await until(
		'events that are not lost',
		() => count - missing().length,
		count,
		() => {
			const keys = missing().map(keyOf);
			const rows = rig.rows().filter(({ eventKey }) => keys.includes(eventKey));
			const executions = rig.query(
				`SELECT "workflowId", "mode", "status", count(*) AS "count" FROM "execution_entity" GROUP BY 1, 2, 3`,
			);
			return JSON.stringify({ missing: missing(), rows, states: rig.states(), executions });
		},
	);
	await untilQuiet(rig);
	const keys = new Set(offers.map(keyOf));
	const calls = rig.books.calls.filter(({ eventKey }) => keys.has(eventKey));
	const twice = [...rig.books.counts()].filter(([key, times]) => keys.has(key) && times > 1);
	for (const [key] of twice) {
		const tries = calls.filter(({ eventKey }) => eventKey === key);
		assert.equal(new Set(tries.map(({ row }) => row)).size, 1, `${key} was worked on in two rows`);
		assert.equal(new Set(tries.map((call) => call.try)).size, tries.length, `${key}: a try twice`);
	}
	const again = rig.rows(`"tries" > 1`).filter(({ eventKey }) => keys.has(eventKey));
	const claimedTwice = new Set(again.map(({ eventKey }) => eventKey));
	for (const [key] of twice) assert(claimedTwice.has(key), key);
	return {
		events: count,
		kills: rounds,
		lost: missing().length,
		'claimed again': again.length,
		twice: twice.length,
	};
}

/** The called workflow fails twice, then works; another event fails for good, is told once, kept, and released. */
export async function failures(rig: Rig): Promise<Figures> {
	const [twice, always] = [keyOf('fails-twice'), keyOf('fails-always')];
	rig.books.refuses = ({ eventKey, try: attempt }) =>
		(eventKey === twice && attempt <= 2) || eventKey === always;
	await deliver(rig, () => rig.origins[0], [offer('fails-twice'), offer('fails-always')]);
	await until('event that fails twice', () => rig.books.counts().get(twice) ?? 0, 1);
	const failed = () => rig.rows(`"eventKey" = '${always}' AND "state" = 'failed'`);
	await until('event that fails for good', () => failed().length, 1);
	assert.equal(rig.books.refused.filter(({ eventKey }) => eventKey === twice).length, 2);
	assert.equal(rig.books.refused.filter(({ eventKey }) => eventKey === always).length, 3);
	const told = () =>
		rig.n8n.executions.filter(({ error }) => error?.includes('kept') && error.includes(always));
	await until('message about it', () => new Set(told().map(({ id }) => id)).size, 1);
	// It is told once, and nothing is tried any more.
	await sleep(15_000);
	assert.equal(new Set(told().map(({ id }) => id)).size, 1);
	assert.equal(rig.books.refused.filter(({ eventKey }) => eventKey === always).length, 3);
	assert.match(failed()[0]?.note ?? '', /503|Service unavailable/i);
	rig.books.refuses = () => false;
	rig.change(`"state" = 'new'`, `"eventKey" = '${always}'`);
	await until('released event', () => rig.books.counts().get(always) ?? 0, 1);
	await untilQuiet(rig);
	assert.equal(rig.books.counts().get(twice), 1);
	assert.equal(rig.books.counts().get(always), 1);
	return {
		'failing twice': 'done at the third try',
		'failing for good': 'told once, released, done',
	};
}

/** The same alert within the window, after it, and three times a month apart. */
export async function sameAlert(rig: Rig): Promise<Figures> {
	const told = (id: string) =>
		rig.books.calls.filter(({ eventKey }) => eventKey.startsWith(`watchdog.alert:${id}:`)).length;
	const send = async (id: string) => {
		const before = rig.rows().length;
		await deliver(rig, () => rig.origins[0], [alert(id)]);
		await until('row', () => rig.rows().length - before, 1);
		await untilQuiet(rig);
	};
	await send('again');
	await send('again');
	assert.equal(told('again'), 1);
	shift(rig, 25);
	await send('again');
	assert.equal(told('again'), 2);
	await send('again');
	assert.equal(told('again'), 2);
	for (let month = 0; month < 3; month++) {
		await send('monthly');
		shift(rig, 31 * 24);
		// What is old enough is forgotten.
		const old = () => rig.rows(`"state" IN ('done', 'repeated', 'no workflow')`).length;
		await until('old rows that are forgotten', () => -old(), 0);
	}
	assert.equal(told('monthly'), 3);
	return { 'within 24 hours': '1 of 2', 'after 25 hours': 'again', 'a month apart': '3 of 3' };
}

function groups<Item>(items: Item[], size: number): Item[][] {
	return Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
		items.slice(group * size, (group + 1) * size),
	);
}

/** SQL that moves all that was received into the past. */
function shift(rig: Rig, hours: number): void {
	const moved = (column: string) =>
		rig.mode === 'single'
			? `"${column}" = strftime('%Y-%m-%d %H:%M:%f', "${column}", '-${hours} hours')`
			: `"${column}" = "${column}" - interval '${hours} hours'`;
	rig.change([moved('receivedAt'), moved('due'), moved('forgetAt')].join(', '));
}
