/** The pieces that the page is made of. Everything is set as text, never as HTML. */

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function element(tag, attributes = {}, ...children) {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
	made.append(...children);
	return made;
}

/** A button that asks the sandbox for something; its id lets it keep the focus when the page is drawn anew. */
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

export function time(milliseconds) {
	if (milliseconds === undefined || milliseconds === null) return '–';
	const date = new Date(milliseconds);
	return element(
		'time',
		{ datetime: date.toISOString() },
		date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' }),
	);
}

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

export function state(word) {
	return element('span', { class: `state ${moods[word] ?? ''}` }, word);
}

/** Draws a table, or the sentence for when there is nothing in it. */
export function table(id, columns, rows, empty) {
	const place = document.getElementById(id);
	if (rows.length === 0) return place.replaceChildren(element('p', { class: 'quiet' }, empty));
	const head = columns.map((column) => element('th', { scope: 'col' }, column));
	const body = rows.map((cells) =>
		element(
			'tr',
			{},
			...cells.map((cell, index) => {
				const children = Array.isArray(cell) ? cell : [cell];
				const isActions = columns[index] === 'Actions';
				const kind = isActions ? 'actions' : typeof cell === 'number' ? 'number' : '';
				return element(
					'td',
					{ 'data-label': columns[index], ...(kind && { class: kind }) },
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

export function text(id, value) {
	document.getElementById(id).textContent = value;
}

/** A text that can be copied with the button beside it. */
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
