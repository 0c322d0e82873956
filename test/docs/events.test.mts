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

test('docs/polling-trigger.md lists the events without a webhook', () => {
	const [, , polling, webhook] = findLine(
		'docs/polling-trigger.md',
		`| ${withoutWebhook.join(' and ')} `,
	)
		.split('|')
		.map((cell) => cell.trim());
	expect([polling, webhook]).toEqual(['Yes', 'No']);
});

test('docs/polling-trigger.md lists the events whose time is not known', () => {
	const row = findLine('docs/polling-trigger.md', '| `occurredAt` ');
	expect(namesIn(row)).toEqual(all.filter(({ hasTime }) => !hasTime).map(({ name }) => name));
});

test.each(all)(
	'docs/polling-trigger.md and docs/duplicates.md describe $name',
	({ event, name, isDefault }) => {
		const row = findLine('docs/polling-trigger.md', `| **${name}** `);
		expect(row).toContain(`| \`${event}\``);
		const isSelected = row.split('|').at(4)?.trim();
		expect(isSelected).toBe(isDefault ? 'Yes' : 'No');
		expect(findLine('docs/duplicates.md', `| ${name} `)).toContain(`| \`${event}:`);
	},
);
