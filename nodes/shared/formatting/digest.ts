import type { IDataObject } from 'n8n-workflow';

import { truncate } from '../utils/text';

/** Chats cut longer messages. */
const maxLines = 30;
const maxMessageLength = 3500;
/** The most characters of a title: mail programs cut a longer subject. */
const maxTitleLength = 80;

/** Items of one kind, such as offers that wait for a decision. */
export interface DigestPart {
	/** How the title counts them, in words that follow a number: `to decide`, `accepted`, `new alerts`. */
	label: string;
	items: readonly IDataObject[];
	/** What the title counts, where it is not the number of items. */
	count?: number;
}

interface DigestOptions {
	/** What the title says first, such as `Dry run`. */
	heading?: string;
	/** Lines at the end that are never left out: what is still open, why the run stopped early. */
	closing?: readonly string[];
}

/**
 * All items of a run as one: `message` for Slack or the text of an email, a line for each item; `title` for its subject,
 * counts alone, such as `1 outcome unknown, 3 to decide, 2 accepted`; `count`; and `items`, all of them.
 * @param parts the most urgent first; each item has a `message` of its own
 * @returns no item where there is nothing to tell
 */
export function digest(
	parts: readonly DigestPart[],
	{ heading, closing = [] }: DigestOptions = {},
): IDataObject[] {
	const items = parts.flatMap((part) => part.items);
	if (items.length === 0) return [];
	const counts = parts
		.filter((part) => part.items.length > 0)
		.map(({ label, items: { length }, count = length }) => `${count} ${label}`)
		.join(', ');
	const title = [heading, counts].filter((words) => words !== undefined && words !== '').join(': ');
	const messages = items.map(({ message }) => String(message));
	const lines = messages.length === 1 ? messages : messages.map((message) => `- ${message}`);
	const message = [...fitLines(lines, closing), ...closing].join('\n');
	return [{ message, title: truncate(title, maxTitleLength), count: items.length, items }];
}

/** An outcome or event, and how the title of a digest counts one or several of it: the same words where there are no others. */
export type DigestLabel<Value = string> = [value: Value, one: string, several?: string];

/** The items by what they have in a field, in the order of these labels. */
export function groupByLabel(
	field: string,
	items: IDataObject[],
	labels: DigestLabel[],
): DigestPart[] {
	return labels.map(([value, singular, plural = singular]) => {
		const matching = items.filter((item) => item[field] === value);
		return { label: matching.length === 1 ? singular : plural, items: matching };
	});
}

/** The first lines, as many as there is room for beside the closing ones, and how many more there are. */
function fitLines(lines: string[], closing: readonly string[]): string[] {
	const maxLength = maxMessageLength - getLength(closing) - '- and 10000 more\n'.length;
	const fitting: string[] = [];
	for (const line of lines) {
		const isLast = fitting.length === lines.length - 1;
		if (fitting.length >= maxLines - closing.length - (isLast ? 0 : 1)) break;
		if (getLength([...fitting, line]) > maxLength) break;
		fitting.push(line);
	}
	const omittedCount = lines.length - fitting.length;
	return omittedCount === 0 ? fitting : [...fitting, `- and ${omittedCount} more`];
}

function getLength(lines: readonly string[]): number {
	return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
