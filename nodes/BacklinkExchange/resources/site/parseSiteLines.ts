import { quote } from '../../../shared/formatting/message';
import { getUrlKey, parseSiteName } from '../../../shared/sites/siteUrl';
import { findInvisible, trimInvisible, trimWords } from '../../../shared/utils/text';

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

/** Marks bytes that were not valid UTF-8. */
const replacementCharacter = '\ufffd';

const formatExample =
	'Write the address, a comma and the niche, for example “https://blog.example, gardening”.';

/**
 * Parses pasted text: one site per line, with its URL, a tab, semicolon or comma, and its niche. A
 * cell may be in quotes. Blank lines are skipped.
 */
export function parseSiteLines(rawLines: string[]): SiteLine[] {
	return rawLines.flatMap((text, index) => {
		// A line without a letter, digit or sign, such as ";;" or "---", names nothing.
		return /[\p{L}\p{N}\p{So}]/u.test(text) ? [parseLine(text, index + 1)] : [];
	});
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

function hasUserInfo(url: string): boolean {
	return withoutUserInfo(url) !== url;
}

function parseLine(text: string, line: number): SiteLine {
	const end = text.search(/[\t;,]/);
	const [first, rest] = end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
	const urlCell = trimInvisible(unquote(first));
	const niche = unquote(rest);
	const url = parseUrlCell(urlCell);
	const problem = text.includes(replacementCharacter)
		? 'A letter was lost when the text was saved. Save it as UTF-8, or copy it again.'
		: findProblem(urlCell, url, niche);
	return { line, url: url ?? withoutUserInfo(urlCell), niche, ...(problem && { problem }) };
}

function unquote(cell: string): string {
	return trimWords(trimWords(cell).replace(/^"(.*)"$/, '$1'));
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
	if (/[\t;]/.test(niche)) return `The line has more than two cells. ${formatExample}`;
	if (/\p{L}/u.test(niche)) return undefined;
	return `The niche ${quote(niche) ?? ''} has no letter. Write the topic of the site after its address.`;
}

/**
 * Parses the URL of a site and adds a missing scheme.
 *
 * @returns `undefined` if the cell isn't the URL of a site
 */
function parseUrlCell(cell: string): string | undefined {
	const host = parseSiteName(cell)?.url?.host ?? '';
	const isEmail = /^[^/]*@/.test(cell);
	if (!/\.[a-z]/.test(host) || isEmail) return undefined;
	const url = /^[a-z][a-z\d+.-]*:\/\//i.test(cell) ? cell : `https://${cell}`;
	return isAbsoluteSiteUrl(url) ? url : undefined;
}
