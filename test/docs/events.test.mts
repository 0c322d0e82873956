/** Checks that the documents that list the events contain every event. */
import { expect, test } from 'vitest';

import { events } from '../../nodes/shared/events/events.ts';
import { read } from '../repository.mts';
import { createEvent } from '../unit/shared/createEvent.mts';

const timestamp = '2026-07-01T12:00:00Z';
const fields = ['requested', 'accepted', 'published', 'created', 'detected', 'occurred'];
/** Record with every field that may contain a time. */
const times = Object.fromEntries(fields.map((field) => [`${field}_at`, timestamp]));

const all = [...events]
	.sort((one, other) => (one.label < other.label ? -1 : 1))
	.map((type) => ({
		event: type.name,
		name: type.label,
		hasWebhook: type.payload !== undefined,
		isDefault: type.isDefault,
		hasTime: type.getTime(createEvent(type.name, times).data) !== undefined,
	}));

/** Returns the first line of a document that contains a text. */
function findLine(document: string, text: string): string {
	return (
		read(document)
			.split('\n')
			.find((line) => line.includes(text)) ?? ''
	);
}

/** Returns the names of the events that a text contains, in the order of `events`. */
function namesIn(text = ''): string[] {
	return all.map(({ name }) => name).filter((name) => text.includes(name));
}

const withoutWebhook = all.filter(({ hasWebhook }) => !hasWebhook).map(({ name }) => name);

test('README.md lists the events of each trigger', () => {
	const [, , polling, webhook] = findLine('README.md', '| Events ').split('|');
	expect(namesIn(polling)).toEqual(all.map(({ name }) => name));
	expect(namesIn(webhook)).toEqual(all.filter((each) => each.hasWebhook).map(({ name }) => name));
});

test('docs/polling-trigger.md and docs/webhook-trigger.md list the events without a webhook', () => {
	const row = findLine('docs/polling-trigger.md', 'Not available by webhook');
	expect(namesIn(row)).toEqual(withoutWebhook);
	const line = findLine('docs/webhook-trigger.md', "the service doesn't send them");
	expect(namesIn(line)).toEqual(withoutWebhook);
});

test('docs/polling-trigger.md lists the events whose time is not known', () => {
	const row = findLine('docs/polling-trigger.md', '| `occurredAt` ');
	expect(namesIn(row)).toEqual(all.filter(({ hasTime }) => !hasTime).map(({ name }) => name));
});

test.each(all)(
	'docs/polling-trigger.md and docs/event-keys.md describe $name',
	({ event, name, isDefault }) => {
		const row = findLine('docs/polling-trigger.md', `| **${name}** `);
		expect(row).toContain(`| \`${event}\``);
		expect(row).toContain(isDefault ? '| Selected by default' : '| Not selected by default');
		expect(findLine('docs/event-keys.md', `| ${name} `)).toContain(`| \`${event}:`);
	},
);
