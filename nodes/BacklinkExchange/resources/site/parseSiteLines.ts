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
const unreadable = '\ufffd';

/**
 * Reads sites from text as programs copy it: a line for each, the address, then a tab, semicolon or comma, then the niche. After a
 * comma that is all that follows; after a tab or semicolon it is the next cell. Blank lines, and a first line of names, are left
 * out.
 */
export function parseSiteLines(pasted: string[]): SiteLine[] {
	const lines = pasted
		.map((text, index) => ({ text: text.replace(/^\ufeff/, ''), line: index + 1 }))
		.filter(({ text }) => /[^\s,;"]/.test(text))
		.map(({ text, line }) => ({ text, line, ...splitCells(text) }));
	const [first, ...rest] = lines;
	const isHeaderRow = first !== undefined && parseAddressCell(first.address) === undefined;
	const isBroken = first?.text.includes(unreadable);
	return (isHeaderRow && !isBroken ? rest : lines).map(({ text, line, address, niche }) => {
		const url = parseAddressCell(address);
		const problem = findProblem(text, url, niche);
		return { line, text, url: url ?? address, niche, ...(problem && { problem }) };
	});
}

/** Whether a text is the address of a site, with its scheme. */
export function isAbsoluteSiteUrl(text: string): boolean {
	return /^https?:\/\/[^/]/i.test(text) && parseSiteId(text) !== undefined;
}

function findProblem(text: string, url: string | undefined, niche: string): string | undefined {
	if (text.includes(unreadable)) {
		return 'a letter was lost when the text was saved; save it as UTF-8, or copy it again';
	}
	if (url === undefined) return 'it does not begin with the address of a site';
	return niche === '' ? 'the niche is missing behind the address' : undefined;
}

/** The address of a site with a scheme; undefined for anything else. */
function parseAddressCell(cell: string): string | undefined {
	const host = parseSiteId(cell);
	const isEmail = /^[^/]*@/.test(cell);
	if (host === undefined || getSiteIdKind(host) !== 'address' || isEmail) return undefined;
	const url = /^[a-z][a-z\d+.-]*:\/\//i.test(cell) ? cell : `https://${cell}`;
	return isAbsoluteSiteUrl(url) ? url : undefined;
}

function splitCells(text: string): { address: string; niche: string } {
	const separator = /\t/.exec(text)?.[0] ?? /[;,]/.exec(text)?.[0] ?? ',';
	const [address, rest] = nextCell(text, separator);
	// After a comma, the niche is all that follows, because a niche may have commas itself; those at the end are empty cells.
	const isWhole = separator === ',' && !/^\s*"(?:[^"]|"")*"[\s,]*$/.test(rest);
	const [niche] = isWhole
		? [rest.replace(/(?<![\s,])[\s,]+$/, '').trim()]
		: nextCell(rest, separator);
	return { address, niche };
}

/** The first cell, without the quotes around it, and what follows its separator. */
function nextCell(text: string, separator: string): [cell: string, rest: string] {
	const [whole, quoted] = /^\s*"((?:[^"]|"")*)"\s*/.exec(text) ?? [];
	if (whole !== undefined && quoted !== undefined) {
		const after = text.slice(whole.length);
		if (after === '' || after.startsWith(separator)) {
			return [quoted.replaceAll('""', '"').trim(), after.slice(1)];
		}
	}
	const end = text.indexOf(separator);
	return end === -1 ? [text.trim(), ''] : [text.slice(0, end).trim(), text.slice(end + 1)];
}
