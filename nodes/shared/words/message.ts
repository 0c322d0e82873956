import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../objects';
import { shorten } from '../text';
import { linkOf } from './pageAddress';

/** The most characters of a name that a message repeats, such as an anchor text or an ID. */
const mostOfAName = 80;
/** The most characters of a stranger's words that are read. */
const mostRead = 1000;
/** The most marks above or below one letter: more of them would cover the lines around. */
const mostMarks = 3;

/**
 * A stranger's words for a plain sentence that ends up in Slack, an email or a spreadsheet: in quotation marks, on one
 * line, shortened. What may stay is a list, because what may do harm has none: letters, digits, currency signs, pictures
 * and common punctuation. So no control, bidirectional or invisible character and none of `<`, `>`, `&`, `@`, `*`, `` ` ``,
 * `~`, `|`, `=` and `"` gets through. What acts by its position is taken out there: `+` and `-` where a cell of a
 * spreadsheet could begin, `_` at the edge of a word, `:` of an emoji name, `#` of a channel, and the scheme and the dots
 * of an address, which becomes `evil[.]example`.
 * @returns undefined where there is nothing to quote: no text or number, or nothing of it may stay
 */
export function quote(words: unknown, most = mostOfAName): string | undefined {
	const text = shorten(clean(words), most);
	return text === '' ? undefined : `"${text}"`;
}

/** Any value of a field, for a sentence that says why it cannot be read. */
export function quoteValue(value: unknown): string {
	const cleaned = (_name: string, part: unknown) => {
		if (!isObject(part)) return typeof part === 'string' ? clean(part) : part;
		return Object.fromEntries(Object.entries(part).map(([name, each]) => [clean(name), each]));
	};
	return shorten(JSON.stringify(value, cleaned) ?? '', 60);
}

/**
 * The address of a site or page as a stranger names it (the format of from_site and to_site is not documented: a text, or
 * an object with a URL, a name or an id), without its scheme: `kettle-review.example/blog`. What is no plain address is
 * quoted as words.
 */
export function address(site: unknown): string | undefined {
	const named = isObject(site)
		? [site.url, site.name, site.id].find((value) => quote(value) !== undefined)
		: site;
	const text = typeof named === 'string' ? named : '';
	const [, plainAddress = ''] =
		/^(?:https?:\/\/)?([a-z0-9][a-z0-9.-]*(?::\d+)?(?:\/[a-z0-9./%-]*)?)$/i.exec(text) ?? [];
	if (!plainAddress.includes('.')) return quote(named);
	return shorten(plainAddress.replace(/\/$/, ''), mostOfAName);
}

/**
 * `from.example → to.example, anchor "green tea", page https://from.example/tea`, or as much of it as the record names;
 * undefined for nothing.
 */
export function describeExchange(record: IDataObject): string | undefined {
	const anchor = labelled('anchor', quote(record.anchor));
	return sentence(route(record), anchor, labelled('page', linkOf(record))) || undefined;
}

/** The two sites of an exchange, as `from.example → to.example`; undefined where neither is named. */
export function route({ from_site, to_site }: IDataObject): string | undefined {
	const ends = [from_site, to_site].map(address);
	const isNamed = ends.some((end) => end !== undefined);
	return isNamed ? ends.map((end) => end ?? 'an unknown site').join(' → ') : undefined;
}

/** `1 link`, `2 links`. */
export function several(count: number, one: string): string {
	return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** The parts that are there, joined with commas. */
export function sentence(...parts: Array<string | undefined>): string {
	return parts.filter((part) => part !== undefined).join(', ');
}

/** `name "quoted words"`; undefined where there are no words. */
export function labelled(name: string, quoted: string | undefined): string | undefined {
	return quoted === undefined ? undefined : `${name} ${quoted}`;
}

/** Our own words with a stranger's in them, such as the reason that a service gives: as safe as a quotation, and at most so long. */
export function plain(words: string, most: number): string {
	return shorten(clean(words), most);
}

/**
 * Our own sentences with names in them that others chose, such as an error that a workflow sends on: on one line, and without
 * what Slack or HTML would act on.
 */
export function harmless(sentences: string): string {
	return sentences
		.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>@*~`|\\^]|&(?=[a-z0-9#])/giu, ' ')
		.replace(/ {2,}/g, ' ')
		.trim();
}

/** A stranger's words without what may do harm: see `quote`. Empty for anything but a text or number. */
function clean(words: unknown): string {
	if (typeof words !== 'string' && typeof words !== 'number') return '';
	const text = String(words).slice(0, mostRead);
	// Nothing acts in a single word such as an ID, and whoever searches for it needs it as it is.
	if (/^[a-z\d][\w-]*$/i.test(text)) return text;
	return (
		text
			.normalize('NFC')
			// An address loses its scheme, before what may not stay is taken out of it.
			.replace(/[a-z][a-z0-9+.-]{0,30}:\/\//gi, '')
			// Signs that may not stay, but have a harmless form.
			.replace(/["'`\u00b4\u2018-\u201f\u00ab\u00bb\u2039\u203a]/gu, "'")
			.replace(/&/g, ' and ')
			.replace(/@/g, '(at)')
			.replace(/\p{Pd}/gu, '-')
			// Everything else that is not on the list; what is invisible leaves no gap.
			.replace(/\p{Default_Ignorable_Code_Point}/gu, '')
			.replace(
				/[^\p{L}\p{M}\p{N}\p{Sc}\p{Emoji_Presentation} .,;:!?'()/+#%_\-\u2026\u3001\u3002\u30fb\uff01\uff0c\uff1f]/gu,
				' ',
			)
			// A mark that stands on no letter goes, because what follows it would be taken for the inside of a word.
			.replace(/(?<![\p{L}\p{M}\p{N}])\p{M}+/gu, '')
			.replace(/(?<!\p{M})\p{M}{4,}/gu, (marks) => [...marks].slice(0, mostMarks).join(''))
			// What acts only in some positions stays in others: `_` inside a word,
			.replace(/(?<![\p{L}\p{M}\p{N}])_+|_+(?![\p{L}\p{M}\p{N}])/gu, ' ')
			// `:` at the end of words and between digits,
			.replace(/:(?! |$)(?!(?<=\p{N}:)\p{N})/gu, ' ')
			// `#` before a digit,
			.replace(/#(?!\p{N})/gu, ' ')
			// `+` and `-` behind a letter or digit and between words, and `-` before a number behind a word.
			.replace(/(?<![\p{L}\p{N}+]|\p{L} (?=-\p{N}))[+-]+(?! +\S)/gu, ' ')
			.replace(/\s+/g, ' ')
			.replace(/^[\s+-]+/, '')
			.trimEnd()
			// An address in free words must not become a link.
			.replace(/(?<=[\p{L}\p{M}\p{N}])\.(?=\p{L}[\p{L}\p{M}])/gu, '[.]')
	);
}
