import { compactParts, quote, sanitize } from '../../../shared/formatting/message';
import { getForm } from '../../../shared/utils/siteChoice';
import { getUrlKey, parseSiteIdentity } from '../../../shared/utils/siteIdentity';
import {
	comma,
	emptyCells,
	findInvisible,
	semicolon,
	trimInvisible,
	trimWords,
} from '../../../shared/utils/text';

/** A line of pasted text that names a site. */
export interface SiteLine {
	/** Line number, from 1. */
	line: number;
	/** With a scheme; if it isn't valid, the original cell. Without user name and password. */
	url: string;
	niche: string;
	/** Reason why the line isn't valid, in sentences. */
	problem?: string;
}

export interface ParsedLines {
	lines: SiteLine[];
	/** A first line that was read as column names. */
	columnNames?: { line: number; names: string };
}

/** A line that isn't blank, in parts. */
interface Row {
	line: number;
	text: string;
	urlCell: string;
	niche: string;
	isBroken: boolean;
}

/** Marks bytes that were not valid UTF-8. */
const replacementCharacter = '\ufffd';

/** At the beginning of a line in a list: `-`, `•`, `- [ ]`, `1.`, `1)`. */
const listMarker =
	/^(?:[-–—*•·‣⁃◦▪●○](?:\s*\[[ x]?\](?=\s))?|\d{1,4}[.)](?=\s|https?:))\s*(?=["\p{L}\p{N}])/iu;

/**
 * Parses pasted text: one site per line, with its URL, a separator (a tab, or a semicolon or comma
 * of any script), and its niche.
 *
 * After a comma, the rest of the line is the niche; after a tab or semicolon, the next cell is.
 * Blank lines are skipped. The first line is one of column names if nothing in it looks like an
 * address, but something in another line does.
 */
export function parseSiteLines(rawLines: string[]): ParsedLines {
	const rows = rawLines
		.map((text, index) => ({ text, line: index + 1 }))
		// A line without a letter, digit or sign, such as ";;" or "---", names nothing.
		.filter(({ text }) => /[\p{L}\p{N}\p{So}]/u.test(text))
		.map(({ text, line }) => parseRow(text, line));
	const [first, ...others] = rows;
	const hasNames =
		first !== undefined &&
		!first.isBroken &&
		areColumnNames(first) &&
		others.some(({ text }) => looksLikeAddress(text));
	if (!hasNames) return { lines: rows.map(rowToLine) };
	const names = splitAll(first.text).map((cell) => sanitize(cell, 40) || undefined);
	return {
		lines: others.map(rowToLine),
		columnNames: { line: first.line, names: sanitize(compactParts(...names).join(', '), 200) },
	};
}

/** Returns whether the text is the URL of a site, with its scheme, and without a user name. */
export function isAbsoluteSiteUrl(text: string): boolean {
	return /^https?:\/\/[^/]/i.test(text) && getUrlKey(text) !== undefined && !hasUserInfo(text);
}

/** Removes the user name and password of a URL, so that they appear in no message. */
export function withoutUserInfo(url: string): string {
	return url
		.replace(/^([a-z][a-z\d+.-]*:[\\/]+)[^/?#\\]*@/i, '$1')
		.replace(/^[^/?#\\@:]*:[^/?#\\]*@/, '');
}

const formatExample =
	'Write the address, a comma and the niche, for example “https://blog.example, gardening”.';

function hasUserInfo(url: string): boolean {
	return withoutUserInfo(url) !== url;
}

function parseRow(rawText: string, line: number): Row {
	const text = trimWords(rawText).replace(listMarker, '');
	const { urlCell, niche } = splitCells(text);
	return { line, text, urlCell, niche, isBroken: text.includes(replacementCharacter) };
}

function rowToLine({ line, urlCell, niche, isBroken }: Row): SiteLine {
	const url = parseUrlCell(urlCell);
	const problem = isBroken
		? 'A letter was lost when the text was saved. Save it as UTF-8, or copy it again.'
		: findProblem(urlCell, url, niche);
	return { line, url: url ?? withoutUserInfo(urlCell), niche, ...(problem && { problem }) };
}

function findProblem(urlCell: string, url: string | undefined, niche: string): string | undefined {
	if (hasUserInfo(urlCell)) {
		return 'The address contains a user name or password. Remove it.';
	}
	if (url === undefined) {
		const character = findInvisible(urlCell);
		const invisibleNote =
			character === undefined
				? ''
				: ` It contains the invisible character ${character}: type the address instead.`;
		return `The line doesn't begin with the address of a site.${invisibleNote} ${formatExample}`;
	}
	if (niche === '') return `The niche is missing after the address. ${formatExample}`;
	if (/\p{L}/u.test(niche)) return undefined;
	return `The niche ${quote(niche) ?? ''} has no letter. Write the topic of the site after its address.`;
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

function areColumnNames({ text }: Row): boolean {
	const cells = splitAll(text).filter((cell) => cell !== '');
	return !looksLikeAddress(text) && cells.every((cell) => /\p{L}/u.test(cell));
}

/** Returns whether a line contains something that may be meant as the address or ID of a site. */
function looksLikeAddress(text: string): boolean {
	return /\/\/|@|\bhttps?\b|\bsite_|[\p{L}\p{N}][.。．｡][\p{L}\p{N}]/iu.test(text);
}

function splitCells(text: string): { urlCell: string; niche: string } {
	const separator = findSeparator(text);
	const [urlCell, rest] = splitFirstCell(text, separator);
	// After a comma, the niche is the whole rest of the line, because it may contain commas itself.
	// Commas at the end are empty cells.
	const content = trimWords(rest.replace(emptyCells, ''));
	const isNicheUnquoted = separator === comma && !/^"(?:[^"]|"")*"$/.test(content);
	const [niche] = isNicheUnquoted ? [content] : splitFirstCell(rest, separator);
	return { urlCell: trimInvisible(urlCell), niche };
}

/** Returns the pattern of the separator behind the first cell. */
function findSeparator(text: string): RegExp {
	if (text.includes('\t')) return tab;
	const [quotedCell = ''] = leadingQuotedCell.exec(text) ?? [];
	const rest = text.slice(quotedCell.length);
	const isCellEnd = rest === '' || startsWith(rest, comma) || startsWith(rest, semicolon);
	const unquoted = isCellEnd ? rest : text;
	const [commaAt, semicolonAt] = [unquoted.search(comma), unquoted.search(semicolon)];
	return semicolonAt !== -1 && (commaAt === -1 || semicolonAt < commaAt) ? semicolon : comma;
}

const tab = /\t/;
const leadingQuotedCell = /^\s*"((?:[^"]|"")*)"\s*/;

function splitAll(text: string): string[] {
	const separator = findSeparator(text);
	const cells: string[] = [];
	let rest = text;
	while (rest !== '') {
		const [cell, remainder] = splitFirstCell(rest, separator);
		cells.push(cell);
		rest = remainder;
	}
	return cells;
}

/** Splits off the first cell and removes the quotes around it. */
function splitFirstCell(text: string, separator: RegExp): [cell: string, rest: string] {
	const [quotedCell, content] = leadingQuotedCell.exec(text) ?? [];
	if (quotedCell !== undefined && content !== undefined) {
		const remainder = text.slice(quotedCell.length);
		if (remainder === '' || startsWith(remainder, separator)) {
			return [trimWords(content.replaceAll('""', '"')), remainder.slice(1)];
		}
	}
	const end = text.search(separator);
	return end === -1 ? [trimWords(text), ''] : [trimWords(text.slice(0, end)), text.slice(end + 1)];
}

function startsWith(text: string, separator: RegExp): boolean {
	return separator.test(text.charAt(0));
}
