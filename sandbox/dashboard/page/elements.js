/** The pieces that the page is made of. Everything is set as text, never as HTML. */

/**
 * The element of the page with this id.
 *
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind] what it has to be, such as HTMLSelectElement
 * @returns {Kind}
 */
export function find(id, kind) {
	const found = document.getElementById(id);
	if (!(found instanceof (kind ?? HTMLElement))) throw new Error(`The page has no #${id}.`);
	return /** @type {Kind} */ (found);
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function element(tag, attributes = {}, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
	made.append(...children);
	return made;
}

/**
 * A button that asks the sandbox for something; its id lets it keep the focus when the page is drawn anew.
 *
 * @param {string} label
 * @param {string} action path under /control
 * @param {object} body
 * @param {string} done what is said when it went well
 * @param {string} [described] what it is for, where several have the same label
 */
export function button(label, action, body, done, described = '') {
	const key = `${action} ${JSON.stringify(body)}`;
	return element(
		'button',
		{
			type: 'button',
			id: key,
			'data-action': action,
			'data-body': JSON.stringify(body),
			'data-done': done,
			...(described && { 'aria-label': `${label}: ${described}` }),
		},
		label,
	);
}

/** @param {number | null | undefined} milliseconds since 1970 */
export function time(milliseconds) {
	if (milliseconds === undefined || milliseconds === null) return '–';
	const date = new Date(milliseconds);
	return element(
		'time',
		{ datetime: date.toISOString() },
		date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' }),
	);
}

/** @type {Record<string, string>} */
const moods = {
	pending: 'wait',
	waiting: 'wait',
	accepted: 'good',
	live: 'good',
	delivered: 'good',
	verified: 'good',
	active: 'good',
	broken: 'bad',
	critical: 'bad',
	'given up': 'bad',
	revoked: 'bad',
};

/** @param {string} word */
export function state(word) {
	return element('span', { class: `state ${moods[word] ?? ''}` }, word);
}

/** @param {string} value the ID of an exchange or a site, in one piece so that it can be compared and selected */
export function identifier(value) {
	return element('code', { class: 'id' }, value);
}

/** @typedef {Node | string | number} Cell */

/**
 * Draws a table, or the sentence for when there is nothing in it.
 *
 * @param {string} id of the element that it goes into
 * @param {string[]} columns
 * @param {(Cell | Cell[])[][]} rows
 * @param {string} empty
 */
export function table(id, columns, rows, empty) {
	const place = find(id);
	if (rows.length === 0) {
		place.replaceChildren(element('p', { class: 'quiet' }, empty));
		return;
	}
	const head = columns.map((column) => element('th', { scope: 'col' }, column));
	const body = rows.map((cells) =>
		element(
			'tr',
			{},
			...cells.map((cell, index) => {
				const children = Array.isArray(cell) ? cell : [cell];
				const column = columns[index] ?? '';
				const isActions = column === 'Actions';
				const kind = isActions ? 'actions' : typeof cell === 'number' ? 'number' : '';
				return element(
					'td',
					{ 'data-label': column, ...(kind && { class: kind }) },
					...children.map((child) => (child instanceof Node ? child : String(child))),
				);
			}),
		),
	);
	place.replaceChildren(
		element(
			'table',
			{},
			element('thead', {}, element('tr', {}, ...head)),
			element('tbody', {}, ...body),
		),
	);
}

/**
 * @param {string} id
 * @param {string | number} value
 */
export function text(id, value) {
	find(id).textContent = String(value);
}

/**
 * A value of the page that has a button to copy it, as long as there is one.
 *
 * @param {string} id
 * @param {string | undefined} value
 * @param {string} otherwise what stands there without it
 */
export function copyableText(id, value, otherwise) {
	text(id, value ?? otherwise);
	for (const copy of document.querySelectorAll(`[data-copy="${id}"]`)) {
		copy.toggleAttribute('hidden', value === undefined);
	}
}

/**
 * A text that can be copied with the button beside it.
 *
 * @param {string} id
 * @param {string} value
 * @param {string} described
 */
export function copyable(id, value, described) {
	return element(
		'span',
		{ class: 'copyable' },
		element('code', { id }, value),
		element(
			'button',
			{ type: 'button', 'data-copy': id, 'aria-label': `Copy ${described}` },
			'Copy',
		),
	);
}
