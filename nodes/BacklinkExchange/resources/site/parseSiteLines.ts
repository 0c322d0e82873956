import { getSiteIdKind, parseSiteId } from '../../../shared/utils/site';

/** A line of pasted text that names a site. */
export interface SiteLine {
	/** From 1, as the person who pasted it counts. */
	line: number;
	/** The line as it is. */
	text: string;
	/** With a scheme; as it stands there, where it cannot be used. */
	url: string;
	niche: string;
	/** Why it cannot be used. */
	problem?: string;
}

/** What stands for a letter that was not read as UTF-8. */
const replacementCharacter = '\ufffd';

/**
 * Reads sites from text as programs copy it: a line for each, the address, then a tab, semicolon or comma, then the niche. After a
 * comma that is all that follows; after a tab or semicolon it is the next cell. Blank lines, and a first line of names, are left
 * out.
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

/** Whether a text is the address of a site, with its scheme. */
export function isAbsoluteSiteUrl(text: string): boolean {
	return /^https?:\/\/[^/]/i.test(text) && parseSiteId(text) !== undefined;
}

function findProblem(text: string, url: string | undefined, niche: string): string | undefined {
	if (text.includes(replacementCharacter)) {
		return 'a letter was lost when the text was saved; save it as UTF-8, or copy it again';
	}
	if (url === undefined) return 'it does not begin with the address of a site';
	return niche === '' ? 'the niche is missing behind the address' : undefined;
}

/** The address of a site with a scheme; undefined for anything else. */
function parseUrlCell(cell: string): string | undefined {
	const host = parseSiteId(cell);
	const isEmail = /^[^/]*@/.test(cell);
	if (host === undefined || getSiteIdKind(host) !== 'address' || isEmail) return undefined;
	const url = /^[a-z][a-z\d+.-]*:\/\//i.test(cell) ? cell : `https://${cell}`;
	return isAbsoluteSiteUrl(url) ? url : undefined;
}

function splitCells(text: string): { urlCell: string; niche: string } {
	const separator = /\t/.exec(text)?.[0] ?? /[;,]/.exec(text)?.[0] ?? ',';
	const [urlCell, rest] = splitFirstCell(text, separator);
	// After a comma, the niche is all that follows, because a niche may have commas itself; those at the end are empty cells.
	const isNicheUnquoted = separator === ',' && !/^\s*"(?:[^"]|"")*"[\s,]*$/.test(rest);
	const [niche] = isNicheUnquoted
		? [rest.replace(/(?<![\s,])[\s,]+$/, '').trim()]
		: splitFirstCell(rest, separator);
	return { urlCell, niche };
}

/** The first cell, without the quotes around it, and what follows its separator. */
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
