/** Which events the inbox takes for the same, and which for another one. */
import { expect, it } from 'vitest';

import { alert, finish, handOn, hour } from './inboxEvents.mts';
import { InboxModel, type TriggerItem } from './inboxModel.mts';

function exchange(
	event: string,
	time?: number | string,
	source: 'webhook' | 'poll' = 'webhook',
): TriggerItem {
	const key = [`exchange.${event}`, 'exc_1', ...(time === undefined ? [] : [time])].join(':');
	return { event: `exchange.${event}`, eventKey: key, data: { id: 'exc_1' }, source };
}

/** What reaches the called workflow when these arrive one after the other. */
function handedOn(
	items: Array<TriggerItem | ((model: InboxModel) => void)>,
	settings: object = {},
) {
	const model = new InboxModel({ ...handOn, ...settings });
	for (const item of items) {
		if (typeof item === 'function') item(model);
		else finish(model.receive([item]));
		model.now += 1000;
	}
	return model.handedOn.map(({ eventKey }) => eventKey);
}

const wait = (time: number) => (model: InboxModel) => {
	model.now += time;
};

it('an alert is the same within the window, and a new one after it', () => {
	expect(handedOn([alert('a'), alert('a', 'poll'), wait(23 * hour), alert('a')])).toHaveLength(1);
	expect(handedOn([alert('a'), wait(25 * hour), alert('a')])).toHaveLength(2);
	// The window begins with the alert that was told, so one that comes every hour is told every day.
	const hourly = Array.from({ length: 72 }, () => [alert('a'), wait(hour)]).flat();
	expect(handedOn(hourly)).toHaveLength(3);
	expect(handedOn([alert('a'), alert('a')], { sameAlertHours: 0 })).toHaveLength(2);
});

it('one source has the time and the other lacks it, or writes it more coarsely: one event', () => {
	const exact = Date.UTC(2026, 6, 1, 12, 34, 56) / 1000;
	for (const other of [
		undefined,
		exact,
		exact - 56,
		exact - 56 - 34 * 60,
		exact - (exact % 86_400),
	]) {
		for (const event of ['accepted', 'published']) {
			const items = [exchange(event, exact), exchange(event, other, 'poll')];
			expect(handedOn(items), `${event} ${other}`).toHaveLength(1);
			expect(handedOn([...items].reverse()), `${event} ${other}`).toHaveLength(1);
		}
	}
	expect(handedOn([exchange('requested'), exchange('requested', undefined, 'poll')])).toHaveLength(
		1,
	);
});

it.each([alert('a'), exchange('requested'), exchange('published', 1_782_907_201)])(
	'hundreds of the same at once are one: $event',
	(item) => {
		const model = new InboxModel(handOn);
		finish(model.receive(Array.from({ length: 450 }, () => item)));
		expect(model.handedOn).toHaveLength(1);
	},
);

it('an alert that came often before its window is still known within it', () => {
	const often = Array.from({ length: 300 }, () => [alert('a'), wait(hour)]).flat();
	const settings = { sameAlertHours: 1 };
	expect(handedOn([...often, alert('a'), alert('a')], settings)).toHaveLength(301);
});

it('another time is another event', () => {
	const time = Date.UTC(2026, 6, 1, 12, 34, 56) / 1000;
	expect(handedOn([exchange('published', time), exchange('published', time + 7)])).toHaveLength(2);
	expect(handedOn([exchange('accepted', 'yesterday'), exchange('accepted', 'today')])).toHaveLength(
		2,
	);
});

it.each([undefined, 1_782_907_201])(
	'a link that breaks, is repaired and breaks again is two, also with the old time (%s)',
	(time) => {
		const polled = (event: string) => exchange(event, time, 'poll');
		const items = [exchange('published', time), polled('published'), polled('broken')];
		const again = [polled('published'), polled('broken')];
		expect(handedOn([...items, wait(hour), ...again])).toEqual(
			['published', 'broken', 'published', 'broken'].map((event) => polled(event).eventKey),
		);
		// What is only delivered again is no new publication.
		expect(handedOn([...items, exchange('published', time)])).toHaveLength(2);
	},
);

it.each([undefined, 1_782_907_201])(
	'what polling counts as the second time is another event, also if nobody asked for the break (%s)',
	(time) => {
		const counted = (event: string, count: number) => {
			const item = exchange(event, time, 'poll');
			return { ...item, eventKey: `${item.eventKey}${count > 1 ? `#${count}` : ''}` };
		};
		const first = [exchange('published', time), counted('published', 1)];
		const later = [wait(48 * hour), counted('published', 2), counted('published', 2)];
		expect(handedOn([...first, ...later])).toHaveLength(2);
		expect(handedOn([counted('broken', 1), counted('broken', 2)])).toHaveLength(2);
		expect(handedOn([counted('broken', 2), counted('broken', 2)])).toHaveLength(1);
		// The webhook of the second publication comes as well: before polling found it, or after.
		const second = [exchange('published', time), counted('published', 2)];
		const broken = counted('broken', 1);
		expect(handedOn([...first, broken, wait(hour), ...second])).toHaveLength(3);
		expect(handedOn([...first, broken, wait(hour), ...[...second].reverse()])).toHaveLength(3);
	},
);

it('a publication without a time, by webhook alone, is a new one after the window', () => {
	const published = exchange('published');
	expect(handedOn([published, wait(23 * hour), published])).toHaveLength(1);
	expect(handedOn([published, wait(25 * hour), published])).toHaveLength(2);
});
