/** Names of the characters from U+00A0 to U+00FF, which are valid without a semicolon, too. */
const latin1Names =
	'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';

/** Lower-case letters from U+03B1 on. */
const greekNames =
	'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega';

/** Lower-case letters from U+0430 on, without the ending `cy` of their names; `-` has no name. */
const cyrillicNames =
	'a b v g d ie zh z i j k l m n o p r s t u f kh ts ch sh shch hard y soft e yu ya - io dj gj juk ds iuk yi jser lj nj tsh kj - ubr dz';

const spaceNames =
	'emsp emsp13 emsp14 ensp hairsp MediumSpace NewLine NonBreakingSpace numsp puncsp Tab ThickSpace thinsp ThinSpace VeryThinSpace';

const invisibleNames =
	'af ApplyFunction ic InvisibleComma InvisibleTimes it lrm NegativeMediumSpace NegativeThickSpace NegativeThinSpace NegativeVeryThinSpace NoBreak rlm ZeroWidthSpace zwj zwnj';

/** Letters that no other rule covers. */
const otherLetters = {
	...{ DD: 'D', dd: 'd', ee: 'e', ell: 'l', ENG: 'Ŋ', eng: 'ŋ', hbar: 'h', ii: 'i', imath: 'ı' },
	...{ inodot: 'ı', jmath: 'j', kgreen: 'k', Lmidot: 'L', lmidot: 'l', order: 'o' },
};

const latin1 = new Map([
	...createEntries(latin1Names, 0xa0),
	...Object.entries({ AMP: '&', amp: '&', GT: '>', gt: '>', LT: '<', lt: '<' }),
	...Object.entries({ QUOT: '"', quot: '"' }),
]);

const otherNames = new Map([
	...spaceNames.split(' ').map((name) => [name, ' '] as const),
	...invisibleNames.split(' ').map((name) => [name, ''] as const),
	...Object.entries(otherLetters),
]);

const lettersByLowerCaseName = new Map([
	...createEntries(greekNames, 0x3b1),
	...createEntries(cyrillicNames, 0x430).map(([name, letter]) => [`${name}cy`, letter] as const),
]);

/**
 * Letters with a mark, such as `&scaron;`, and those of mathematical alphabets, such as `&ascr;`.
 */
const variantName =
	/^(?:([A-Za-z])(?:acute|breve|caron|cedil|dblac|grave|macr|ogon|opf|fr|ring|scr|slash|strok|tilde|uml)|([A-WYZa-wyz])circ|([CcEeGgIZz])dot)$/;

const ligatureName = /^(ff[il]?|f[ijl]|ij|IJ|oe|OE)lig$/;

const reference = /&(?:#(?:x([\da-f]+)|(\d+));?|([a-z][a-z\d]*)(;?))/gi;

/** Elements that begin a new line or cell, so that the words on both sides are separate ones. */
const separatingTag =
	/^<\/?(?:blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)(?![a-z\d])/i;

/** The characters that browsers read from 128 to 159 (WHATWG HTML, section 13.2.5.80). */
const windows1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/**
 * Returns the text that a browser shows for HTML, for comparison with words: without tags and
 * comments, with character references decoded.
 *
 * All numbers are decoded. Of the names, all of Latin-1, Greek and Cyrillic letters, Latin letters
 * with marks, mathematical alphabets, spaces and invisible characters. Letters may lose their mark
 * or case, which comparing ignores. Other names stand for signs, and become a hyphen.
 */
export function renderHtml(html: string): string {
	return dropTags(html).replace(
		reference,
		(_, hex?: string, decimal?: string, name = '', semicolon = '') => {
			if (hex !== undefined) return decodeNumber(parseInt(hex, 16));
			if (decimal !== undefined) return decodeNumber(Number(decimal));
			return semicolon === '' ? decodeLegacyName(name) : decodeName(name);
		},
	);
}

function createEntries(names: string, first: number): Array<[name: string, character: string]> {
	return names.split(' ').map((name, index) => [name, String.fromCharCode(first + index)]);
}

function dropTags(html: string): string {
	let text = '';
	let position = 0;
	for (;;) {
		const start = html.indexOf('<', position);
		if (start === -1) return text + html.slice(position);
		text += html.slice(position, start);
		position = getMarkupEnd(html, start);
		if (position === start + 1) text += '<';
		else if (separatingTag.test(html.slice(start, position))) text += ' ';
	}
}

/**
 * Returns where a tag or comment ends: the end of the text if it isn't closed.
 *
 * @param start position of `<`; the next position is returned if it's neither
 */
function getMarkupEnd(html: string, start: number): number {
	if (html.startsWith('<!--', start)) {
		const end = html.indexOf('-->', start + 2);
		return end === -1 ? html.length : end + 3;
	}
	if (!/[a-z/!?]/i.test(html.charAt(start + 1))) return start + 1;
	let quote = '';
	let previous = '';
	for (let index = start + 1; index < html.length; index++) {
		const character = html.charAt(index);
		if (quote !== '') {
			if (character === quote) quote = '';
		} else if (character === '>') return index + 1;
		// Browsers ignore a ">" in the value of an attribute, but not after any other quote.
		else if (/["']/.test(character) && previous === '=') quote = character;
		if (/\S/.test(character)) previous = character;
	}
	return html.length;
}

function decodeNumber(code: number): string {
	if (code >= 0x80 && code <= 0x9f) return windows1252.charAt(code - 0x80);
	const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
	return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}

function decodeName(name: string): string {
	const [, ...variants] = variantName.exec(name) ?? [];
	return (
		latin1.get(name) ??
		otherNames.get(name) ??
		variants.find((letter) => letter !== undefined) ??
		ligatureName.exec(name)?.[1] ??
		lettersByLowerCaseName.get(name.toLowerCase()) ??
		'-'
	);
}

/** Decodes a name without a semicolon, which the browser reads if the text begins with it. */
function decodeLegacyName(text: string): string {
	for (let length = Math.min(text.length, 6); length > 1; length--) {
		const character = latin1.get(text.slice(0, length));
		if (character !== undefined) return character + text.slice(length);
	}
	return `&${text}`;
}
