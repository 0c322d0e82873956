import { getForm } from '../../../shared/utils/siteChoice';
import { getUrlKey, parseSiteIdentity } from '../../../shared/utils/siteIdentity';

/** A line of pasted text that describes a site. */
export interface SiteLine {
	/** Line number, from 1. */
	line: number;
	/** The original line. */
	text: string;
	/** With a scheme; if it isn't valid, the original cell. */
	url: string;
	niche: string;
	/** Reason why the line isn't valid. */
	problem?: string;
}

/** Marks bytes that were not valid UTF-8. */
const replacementCharacter = '\ufffd';

/**
 * Parses pasted text: one site per line, with its URL, a tab, semicolon or comma, and its niche.
 *
 * After a comma, the rest of the line is the niche; after a tab or semicolon, the next cell is.
 * Blank lines and a header row are skipped.
 */
export function parseSiteLines(rawLines: string[]): SiteLine[] {
	const lines = rawLines
		.map((text, index) => ({ text: text.replace(/^\ufeff/, ''), line: index + 1 }))
		.filter(({ text }) => /[^\s,;"]/.test(text))
		.map(({ text, line }) => ({ text, line, ...splitCells(text) }));
	const [first, ...rest] = lines;
	const isHeaderRow = first !== undefined && parseUrlCell(first.urlCell) === undefined;
	const isBroken = first?.text.includes(replacementCharacter);
	return (isHeaderRow && !isBroken ? rest : lines).map(({ text, line, urlCell, niche }) => {
		const url = parseUrlCell(urlCell);
		const problem = findProblem(text, url, niche);
		return { line, text, url: url ?? urlCell, niche, ...(problem && { problem }) };
	});
}

/** Returns whether the text is the URL of a site, with its scheme. */
export function isAbsoluteSiteUrl(text: string): boolean {
	return /^https?:\/\/[^/]/i.test(text) && getUrlKey(text) !== undefined;
}

function findProblem(text: string, url: string | undefined, niche: string): string | undefined {
	if (text.includes(replacementCharacter)) {
		return 'a letter was lost when the text was saved; save it as UTF-8, or copy it again';
	}
	if (url === undefined) return 'it does not begin with the address of a site';
	return niche === '' ? 'the niche is missing behind the address' : undefined;
}

/**
 * Parses the URL of a site and adds a missing scheme.
 *
 * @returns `undefined` if the cell isn't the URL of a site
 */
function parseUrlCell(cell: string): string | undefined {
	const identity = parseSiteIdentity(cell);
	const isEmail = /^[^/]*@/.test(cell);
	if (identity === undefined || getForm(identity) !== 'url' || isEmail) return undefined;
	const url = /^[a-z][a-z\d+.-]*:\/\//i.test(cell) ? cell : `https://${cell}`;
	return isAbsoluteSiteUrl(url) ? url : undefined;
}

function splitCells(text: string): { urlCell: string; niche: string } {
	const separator = /\t/.exec(text)?.[0] ?? /[;,]/.exec(text)?.[0] ?? ',';
	const [urlCell, rest] = splitFirstCell(text, separator);
	// After a comma, the niche is the whole rest of the line, because it may contain commas itself.
	// Trailing commas are empty cells.
	const isNicheUnquoted = separator === ',' && !/^\s*"(?:[^"]|"")*"[\s,]*$/.test(rest);
	const [niche] = isNicheUnquoted
		? [rest.replace(/(?<![\s,])[\s,]+$/, '').trim()]
		: splitFirstCell(rest, separator);
	return { urlCell, niche };
}

/** Splits off the first cell and removes the quotes around it. */
function splitFirstCell(text: string, separator: string): [cell: string, rest: string] {
	const [quotedCell, content] = /^\s*"((?:[^"]|"")*)"\s*/.exec(text) ?? [];
	if (quotedCell !== undefined && content !== undefined) {
		const remainder = text.slice(quotedCell.length);
		if (remainder === '' || remainder.startsWith(separator)) {
			return [content.replaceAll('""', '"').trim(), remainder.slice(1)];
		}
	}
	const end = text.indexOf(separator);
	return end === -1 ? [text.trim(), ''] : [text.slice(0, end).trim(), text.slice(end + 1)];
}
