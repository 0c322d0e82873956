/** HTML that is ready to be sent. Only `markup` makes it, so that strangers' words are always escaped. */
class Markup {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

export type { Markup };

/** A template of HTML: texts and numbers are escaped, lists are joined, and nothing stands for undefined and false. */
export function markup(strings: TemplateStringsArray, ...values: unknown[]): Markup {
	return new Markup(String.raw({ raw: strings }, ...values.map(render)));
}

/** The most rows of a table. */
const shownRows = 200;

/** A table of the first rows, or a sentence where there is none; `columns` say what each one shows of a row. */
export function table<Row>(
	rows: readonly Row[],
	empty: string,
	columns: Record<string, (row: Row) => unknown>,
): Markup {
	if (rows.length === 0) return markup`<p class="quiet">${empty}</p>`;
	const head = Object.keys(columns).map((name) => markup`<th scope="col">${name}</th>`);
	const body = rows.slice(0, shownRows).map((row) => {
		const cells = Object.values(columns).map((show) => markup`<td>${show(row)}</td>`);
		return markup`<tr>${cells}</tr>`;
	});
	return markup`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

/**
 * A button that asks for something under /control.
 *
 * @param of which of several it is, for those who hear the page
 */
export function button(
	label: string,
	action: string,
	body: object = {},
	{ of, isDisabled = false }: { of?: string; isDisabled?: boolean } = {},
): Markup {
	const json = JSON.stringify(body);
	// Its id lets it keep the focus when the page is drawn anew.
	return markup`<button type="button" id="${action} ${json}" data-action="${action}" data-body="${json}"
		${of !== undefined && markup`aria-label="${label}: ${of}"`} ${isDisabled && 'disabled'}>${label}</button>`;
}

/** A form whose fields are sent to an address under /control. */
export function form(action: string, submit: string, ...fields: Markup[]): Markup {
	return markup`<form data-action="${action}">${fields}<button>${submit}</button></form>`;
}

/** A field to type into. `attributes` are those of the input. */
export function input(
	label: string,
	name: string,
	attributes: Record<string, unknown> = {},
): Markup {
	const list = Object.entries(attributes).map(([key, value]) => markup` ${key}="${value}"`);
	return markup`<label>${label}<input name="${name}"${list}></label>`;
}

/** A field to choose from values, which are shown by their words. */
export function select(
	label: string,
	name: string,
	values: readonly string[],
	chosen?: string,
	words: Partial<Record<string, string>> = {},
): Markup {
	const options = values.map(
		(value) =>
			markup`<option value="${value}" ${value === chosen && 'selected'}>${words[value] ?? value}</option>`,
	);
	return markup`<label>${label}<select name="${name}">${options}</select></label>`;
}

/** A text with a button that copies it. */
export function copyable(id: string, value: string): Markup {
	return markup`<code id="${id}">${value}</code> <button type="button" data-copy="${id}" id="copy-${id}" aria-label="Copy ${id}">Copy</button>`;
}

const moods: Record<string, string> = { pending: 'wait', waiting: 'wait', broken: 'bad' };

export function state(word: string): Markup {
	const isBad = ['critical', 'given up', 'revoked', 'refused'].includes(word);
	return markup`<strong class="${moods[word] ?? (isBad ? 'bad' : 'good')}">${word}</strong>`;
}

/** An ID, which stays in one piece so that it can be compared and selected. */
export function identifier(value: string): Markup {
	return markup`<code class="id">${value}</code>`;
}

/** A moment in milliseconds since 1970, in the time zone of this machine. */
export function time(moment: number): Markup {
	const options = { dateStyle: 'medium', timeStyle: 'medium' } as const;
	return markup`<time>${new Date(moment).toLocaleString('en-GB', options)}</time>`;
}

function render(value: unknown): string {
	if (value instanceof Markup) return value.text;
	if (Array.isArray(value)) return value.map(render).join('');
	if (typeof value !== 'string') return typeof value === 'number' ? String(value) : '';
	const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
	return value.replace(/[&<>"]/g, (sign) => `&${entities[sign] ?? ''};`);
}
