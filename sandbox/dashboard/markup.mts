/**
 * HTML that is safe to send.
 *
 * Only `markup` creates it, so third-party text is always escaped.
 */
class Markup {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

export type { Markup };

/**
 * Builds HTML from a template. Strings and numbers are escaped, arrays joined, `undefined` and
 * `false` omitted.
 */
export function markup(strings: TemplateStringsArray, ...values: unknown[]): Markup {
	return new Markup(String.raw({ raw: strings }, ...values.map(render)));
}

const maxRows = 200;

/**
 * Renders the first rows of a table, or a sentence if there are none.
 *
 * @param columns name of each column, and its cell for a row
 */
export function table<Row>(
	rows: readonly Row[],
	empty: string,
	columns: Record<string, (row: Row) => unknown>,
): Markup {
	if (rows.length === 0) return markup`<p class="quiet">${empty}</p>`;
	const head = Object.keys(columns).map((name) => markup`<th scope="col">${name}</th>`);
	const body = rows.slice(0, maxRows).map((row) => {
		return markup`<tr>${Object.values(columns).map((show) => markup`<td>${show(row)}</td>`)}</tr>`;
	});
	const hidden = rows.length - maxRows;
	return markup`<div class="overflow-auto"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>
		${hidden > 0 && markup`<p class="quiet">${hidden} more rows aren't shown.</p>`}`;
}

/**
 * Renders a button for an action under /control.
 *
 * @param of distinguishes several buttons with the same label for screen readers
 * @param form ID of a form whose fields are sent, too
 */
export function button(
	label: string,
	action: string,
	body: object = {},
	{
		of,
		form: formId,
		isDisabled = false,
		isSecondary = true,
	}: { of?: string; form?: string; isDisabled?: boolean; isSecondary?: boolean } = {},
): Markup {
	const json = JSON.stringify(body);
	// The ID keeps the focus when the page is refreshed.
	return markup`<button ${isSecondary && markup`class="outline"`} id="${action} ${json}" data-action="${action}" data-body="${json}"
		${formId !== undefined && markup`data-form="${formId}"`} ${of !== undefined && markup`aria-label="${label}: ${of}"`} ${isDisabled && 'disabled'}>${label}</button>`;
}

/** Renders a form for an action under /control. */
export function form(action: string, submit: string, ...fields: Markup[]): Markup {
	return markup`<article><form data-action="${action}"><div class="grid">${fields}</div><button>${submit}</button></form></article>`;
}

/** Renders a text field with these attributes. */
export function input(
	label: string,
	name: string,
	attributes: Record<string, unknown> = {},
): Markup {
	const list = Object.entries(attributes).map(([key, value]) => markup` ${key}="${value}"`);
	return markup`<label>${label}<input name="${name}"${list}></label>`;
}

/**
 * Renders a select field.
 *
 * @param labels label of each value; default: the value
 */
export function select(
	label: string,
	name: string,
	values: readonly string[],
	selected?: string,
	labels: Partial<Record<string, string>> = {},
): Markup {
	const options = values.map(
		(value) =>
			markup`<option value="${value}" ${value === selected && 'selected'}>${labels[value] ?? value}</option>`,
	);
	return markup`<label>${label}<select name="${name}">${options}</select></label>`;
}

/** Renders a text with a button that copies it. */
export function copyable(id: string, value: string): Markup {
	return markup`<code id="${id}">${value}</code> <button class="outline" data-copy="${id}" id="copy-${id}" aria-label="Copy ${id}">Copy</button>`;
}

const stateClasses: Record<string, string> = {
	pending: 'wait',
	waiting: 'wait',
	medium: 'wait',
	'not verified': 'wait',
	'no webhook': 'wait',
	broken: 'bad',
};

/**
 * Renders a state in its color.
 *
 * @param label text to show; default: the word
 */
export function state(word: string, label = word): Markup {
	const isBad = ['high', 'not delivered', 'revoked'].includes(word);
	return markup`<span class="badge ${stateClasses[word] ?? (isBad ? 'bad' : 'good')}">${label}</span>`;
}

/** Renders an ID, without line breaks, so that it can be compared and selected. */
export function identifier(value: string): Markup {
	return markup`<code class="id">${value}</code>`;
}

/** Renders a timestamp in the time zone of this machine. */
export function time(timestamp: number): Markup {
	const options = { dateStyle: 'medium', timeStyle: 'medium' } as const;
	return markup`<time>${new Date(timestamp).toLocaleString('en-GB', options)}</time>`;
}

/** Renders the date of a timestamp in the time zone of this machine. */
export function date(timestamp: number): Markup {
	return markup`<time>${new Date(timestamp).toLocaleDateString('en-GB', { dateStyle: 'medium' })}</time>`;
}

function render(value: unknown): string {
	if (value instanceof Markup) return value.text;
	if (Array.isArray(value)) return value.map(render).join('');
	if (typeof value !== 'string') return typeof value === 'number' ? String(value) : '';
	const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
	return value.replace(/[&<>"]/g, (sign) => `&${entities[sign] ?? ''};`);
}
