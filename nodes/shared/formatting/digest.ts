import type { IDataObject } from 'n8n-workflow';

import { capitalize } from '../utils/text';
import { formatRoute, formatSite, joinWords, sanitizeTitle } from './message';

/** Chat apps truncate longer messages. */
export const maxMessageLength = 3500;

/** Items of one kind, such as offers that need review. */
export interface DigestPart {
	/** Text after the number in the title: `to decide`, `accepted`, `new alerts`. */
	label: string;
	items: readonly IDataObject[];
	/** Whether the title has the number of items. */
	isCounted?: boolean;
	/** A short line per item, in the place of its message. */
	lines?: readonly string[];
}

/** The line that counts the others isn't counted. */
const maxLinesPerPart = 10;

interface DigestOptions {
	/** Beginning of the title, such as `Dry run`. */
	heading?: string;
	/** Last lines, which are never omitted: what is still open, why the run stopped early. */
	closing?: readonly string[];
}

/**
 * Builds the digest item: `message` (for Slack or the text of an email: the title, then a line per
 * item; or the message of the only item), `title` (for its subject: counts and the first of your
 * sites, such as `2 accepted: tea.example and 1 more`, or what happened to the only item), `count`,
 * and `items` (all of them).
 *
 * @param parts the most urgent first; each item has a `message`
 * @returns the digest item, or no item if there is nothing to report
 */
export function digest(
	parts: readonly DigestPart[],
	{ heading, closing = [] }: DigestOptions = {},
): IDataObject[] {
	const items = parts.flatMap((part) => part.items);
	if (items.length === 0) return [];
	const counts = parts
		.filter((part) => part.items.length > 0)
		.map(({ label, items: { length }, isCounted = true }) =>
			isCounted ? `${length} ${label}` : label,
		)
		.join(', ');
	const headline = capitalize(heading === undefined ? counts : `${heading}: ${counts}`);
	const [first] = items;
	const lines =
		items.length === 1
			? [String(first?.message)]
			: [headline, ...createLines(headline, parts, closing)];
	const message = [...lines, ...closing].join('\n');
	return [{ message, title: formatTitle(headline, items), count: items.length, items }];
}

/** Labels an outcome or event in the title of a digest, after its count. */
export interface DigestLabel<Value = string> {
	value: Value;
	singular: string;
	/** Default: the singular. */
	plural?: string;
	/** Whether the title counts them. */
	isCounted?: boolean;
}

/** Groups items by the value of a field, in the order of the labels. */
export function groupByLabel(
	field: string,
	items: IDataObject[],
	labels: DigestLabel[],
): DigestPart[] {
	return labels.map(({ value, singular, plural = singular, isCounted }) => {
		const matching = items.filter((item) => item[field] === value);
		return { label: matching.length === 1 ? singular : plural, items: matching, isCounted };
	});
}

interface LineLimits {
	maxLines: number;
	maxLength: number;
	/** Follows the number of omitted lines, such as `alerts`. */
	noun?: string;
	/** Number of all lines, if only the first ones are given. */
	totalCount?: number;
}

/**
 * Returns the first lines, as many as fit, and a line that counts the others: `- and 3 more`, or
 * `- 3` with the noun if none fits.
 */
export function fitLines(
	lines: readonly string[],
	{ maxLines, maxLength, noun, totalCount = lines.length }: LineLimits,
): string[] {
	const countOmitted = (count: number) => joinWords('- and', String(count), 'more', noun);
	const maxFittingLength = maxLength - getLength([countOmitted(totalCount)]);
	const fitting: string[] = [];
	for (const line of lines) {
		const isLast = fitting.length === totalCount - 1;
		if (fitting.length >= maxLines - (isLast ? 0 : 1)) break;
		if (getLength([...fitting, line]) > maxFittingLength) break;
		fitting.push(line);
	}
	const omittedCount = totalCount - fitting.length;
	if (omittedCount === 0) return fitting;
	return fitting.length === 0
		? [joinWords('-', String(omittedCount), noun)]
		: [...fitting, countOmitted(omittedCount)];
}

/** Returns the length of a message with these lines, each with its line break. */
export function getLength(lines: readonly string[]): number {
	return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** Formats the title: what happened to the only item, or the headline and the first site. */
function formatTitle(headline: string, items: readonly IDataObject[]): string {
	const [first = {}] = items;
	if (items.length === 1 && typeof first.title === 'string') return first.title;
	const sites = [...new Set(items.map(({ site }) => site))].filter((site) => site !== undefined);
	const name = items.length === 1 ? formatRoute(first.partner, first.site) : formatSite(sites[0]);
	if (name === undefined) return sanitizeTitle(headline);
	const others = sites.length > 1 ? `and ${sites.length - 1} more` : undefined;
	return sanitizeTitle(joinWords(`${headline}: ${name}`, others));
}

/**
 * Returns the lines between the title and the closing ones. Each part gets what the parts before it
 * have left, and leaves a line for each one after it. A first line with a list marker would be a
 * formula in a spreadsheet.
 */
function createLines(
	title: string,
	parts: readonly DigestPart[],
	closing: readonly string[],
): string[] {
	const maxLength = maxMessageLength - getLength([title, ...closing]);
	const shown = parts.filter(({ items }) => items.length > 0);
	return shown.reduce<string[]>((before, { label, items, lines }, index) => {
		const counts = shown
			.slice(index + 1)
			.map((part) => `- and ${part.items.length} more ${part.label}`);
		const texts = lines ?? items.map(({ message }) => String(message));
		const fitting = fitLines(
			texts.slice(0, maxLinesPerPart).map((text) => `- ${text}`),
			{
				maxLines: maxLinesPerPart + 1,
				totalCount: items.length,
				maxLength: maxLength - getLength([...before, ...counts]),
				noun: label,
			},
		);
		return [...before, ...fitting];
	}, []);
}
