/**
 * Describes the shape of a response: names of fields and types of values, without the account's
 * data.
 */

/** Describes a value of a JSON body: `{ sites: 2 × { id: text, dr: number } }`. */
export function describeShape(value: unknown, depth = 0): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) {
		const shapes = new Set(value.map((entry) => describeShape(entry, depth + 1)));
		return value.length === 0 ? 'empty list' : `${value.length} × ${[...shapes].join(' or ')}`;
	}
	if (typeof value === 'object') {
		if (depth > 4) return '{ … }';
		const fields = Object.entries(value).map(
			([name, field]) => `${safeName(name)}: ${describeShape(field, depth + 1)}`,
		);
		return fields.length === 0 ? '{}' : `{ ${[...new Set(fields)].join(', ')} }`;
	}
	return typeof value === 'string' ? describeForm(value) : typeof value;
}

/** Describes the shape of a raw body. */
export function shapeOfBody(body: string): string {
	if (body.trim() === '') return 'no body';
	try {
		return describeShape(JSON.parse(body));
	} catch {
		return /^\s*</.test(body) ? 'a web page' : 'text that is no JSON';
	}
}

/** Describes a string or header: which kind of time, URL or number it is, or only `text`. */
export function describeForm(text: string): string {
	if (/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text)) return 'ISO 8601 time';
	if (/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(text)) return 'HTTP date';
	if (/^\d{13}$/.test(text)) return 'epoch milliseconds';
	if (/^1\d{9}$/.test(text)) return 'epoch seconds';
	if (/^\d+$/.test(text)) return `number of ${text.length} digits`;
	if (URL.canParse(text)) return 'address';
	return text === '' ? 'empty text' : 'text';
}

/** Returns a field's name, unless it could be an ID or a host. */
function safeName(name: string): string {
	return /^[A-Za-z]+(_[A-Za-z]+)*$/.test(name) && name.length <= 40 ? name : '(unusual name)';
}
