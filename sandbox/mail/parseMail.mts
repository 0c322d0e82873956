/** Parses emails as n8n's Send Email node sends them: RFC 5322 with MIME (RFC 2045 to 2047). */

export interface ParsedMail {
	from: string;
	to: string;
	subject: string;
	/** The plain text, if the email has one. */
	text: string | undefined;
	html: string | undefined;
}

/** Part of an email, or the whole of it. Each character of the body is one byte. */
interface Part {
	headers: Map<string, string>;
	body: string;
}

/** Deeper parts are ignored. */
const maxDepth = 10;

/** Parses an email. What it lacks is empty; attachments are left out. */
export function parseMail(source: Buffer): ParsedMail {
	const mail = parsePart(source.toString('latin1').replaceAll('\r\n', '\n'));
	const header = (name: string) => decodeWords(mail.headers.get(name) ?? '');
	const leaves = getLeaves(mail).filter((part) => !isAttachment(part));
	const findText = (type: string) => {
		const part = leaves.find((leaf) => getType(leaf) === type);
		return part && decodeBody(part);
	};
	return {
		from: header('from'),
		to: header('to'),
		subject: header('subject'),
		text: findText('text/plain'),
		html: findText('text/html'),
	};
}

/** Splits a part into its unfolded headers, with names in lower case, and its body. */
function parsePart(source: string): Part {
	const end = `\n${source}`.indexOf('\n\n');
	const head = end === -1 ? source : source.slice(0, end);
	const lines = head.replace(/\n[ \t]+/g, ' ').split('\n');
	const headers = lines.map((line): [string, string] => {
		const colon = line.indexOf(':');
		return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
	});
	return { headers: new Map(headers), body: end === -1 ? '' : source.slice(end + 1) };
}

/** Returns the parts that contain no other parts, in their order. */
function getLeaves(part: Part, depth = 0): Part[] {
	if (!getType(part).startsWith('multipart/')) return [part];
	if (depth === maxDepth) return [];
	const boundary = getParameter(part, 'boundary') ?? '';
	return splitParts(part.body, boundary).flatMap((source) =>
		getLeaves(parsePart(source), depth + 1),
	);
}

function splitParts(body: string, boundary: string): string[] {
	const parts: string[][] = [];
	for (const line of body.split('\n')) {
		const mark = line.trimEnd();
		if (mark === `--${boundary}--`) break;
		if (mark === `--${boundary}`) parts.push([]);
		else parts.at(-1)?.push(line);
	}
	return parts.map((lines) => lines.join('\n'));
}

function getType({ headers }: Part): string {
	const [type = ''] = (headers.get('content-type') ?? 'text/plain').split(';', 1);
	return type.trim().toLowerCase();
}

function isAttachment({ headers }: Part): boolean {
	return /^attachment/i.test(headers.get('content-disposition') ?? '');
}

/** Returns a parameter of the content type, such as its charset. */
function getParameter({ headers }: Part, name: string): string | undefined {
	const parameters = (headers.get('content-type') ?? '').split(';').slice(1);
	const values = parameters.map((parameter): [string, string] => {
		const equals = parameter.indexOf('=');
		const value = parameter.slice(equals + 1).trim();
		return [parameter.slice(0, equals).trim().toLowerCase(), value.replace(/^"(.*)"$/, '$1')];
	});
	return new Map(values).get(name);
}

function decodeBody(part: Part): string {
	const encoding = part.headers.get('content-transfer-encoding')?.toLowerCase();
	return decodeText(decodeBytes(part.body, encoding), getParameter(part, 'charset'));
}

function decodeBytes(text: string, encoding = ''): Buffer {
	if (encoding === 'base64') return Buffer.from(text, 'base64');
	return Buffer.from(encoding === 'quoted-printable' ? decodeQuotes(text) : text, 'latin1');
}

/** Decodes quoted-printable: `=` at the end of a line continues it, and `=C3` is a byte. */
function decodeQuotes(text: string): string {
	return text
		.replace(/=[ \t]*\n/g, '')
		.replace(/=([0-9A-F]{2})/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** Decodes the words of a header that aren't ASCII, such as `=?UTF-8?Q?caf=C3=A9?=`. */
function decodeWords(value: string): string {
	// Whitespace between two encoded words isn't part of the text.
	const joined = value.replace(/\?=\s+=\?/g, '?==?');
	const text = joined.replace(
		/=\?([^?*]+)(?:\*[^?]*)?\?([bq])\?([^?]*)\?=/gi,
		(_all, charset: string, encoding: string, word: string) => {
			const isBase64 = encoding.toLowerCase() === 'b';
			const bytes = isBase64
				? decodeBytes(word, 'base64')
				: decodeBytes(word.replaceAll('_', ' '), 'quoted-printable');
			// As bytes, like the rest of the header.
			return Buffer.from(decodeText(bytes, charset)).toString('latin1');
		},
	);
	return decodeText(Buffer.from(text, 'latin1'));
}

function decodeText(bytes: Buffer, charset = 'utf-8'): string {
	return new TextDecoder(charset).decode(bytes);
}
