/** What the dashboard's page does: its buttons and forms ask the sandbox, and what is marked as live is kept up to date. */

const refreshMilliseconds = 1000;
/** How long good news stays; bad news stays until the next message. */
const messageMilliseconds = 6000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let messageTimer;
let isReachable = true;

document.addEventListener('submit', (event) => {
	event.preventDefault();
	const form = event.target;
	if (!(form instanceof HTMLFormElement)) return;
	const { action } = form.dataset;
	if (action) void act(action, bodyOf(form));
	// A secret is not left standing there.
	for (const field of form.querySelectorAll('input[autocomplete]')) {
		if (field instanceof HTMLInputElement) field.value = '';
	}
});

document.addEventListener('click', (event) => {
	const pressed = event.target instanceof Element && event.target.closest('button');
	if (!pressed) return;
	const { action, body = '{}', copy } = pressed.dataset;
	if (copy) void copyText(document.getElementById(copy)?.textContent ?? '');
	else if (action) void act(action, /** @type {unknown} */ (JSON.parse(body)));
});

// A setting of the dialect is saved when it is chosen.
document.addEventListener('change', ({ target }) => {
	const isField = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
	if (!isField || !target.form?.dataset.settings || !target.reportValidity()) return;
	void act(target.form.dataset.settings, { dialect: { [target.name]: valueOf(target) } });
});

setInterval(() => void refresh(), refreshMilliseconds);

/**
 * Asks the sandbox for something, and says what it answers.
 *
 * @param {string} path under /control
 * @param {unknown} body
 */
async function act(path, body) {
	try {
		const answer = await fetch(`/control${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		/** @type {unknown} */
		const content = await answer.json();
		const { message = '', error } =
			/** @type {{ message?: string, error?: { message: string } }} */ (content);
		say(error?.message ?? message, error !== undefined);
	} catch (error) {
		say(String(error), true);
	}
	await refresh();
}

/** Draws what is live anew where it has changed; the focus, and what is folded open, stay. */
async function refresh() {
	try {
		const text = await (await fetch(location.pathname)).text();
		const fresh = new DOMParser().parseFromString(text, 'text/html');
		const focused = document.activeElement?.id;
		for (const place of document.querySelectorAll('[data-live]')) {
			const next = fresh.getElementById(place.id);
			for (const { id } of place.querySelectorAll('details[open]')) {
				fresh.getElementById(id)?.setAttribute('open', '');
			}
			if (next && next.innerHTML !== place.innerHTML) place.replaceChildren(...next.childNodes);
		}
		if (focused && document.activeElement?.id !== focused) {
			document.getElementById(focused)?.focus();
		}
		if (!isReachable) say('The sandbox is back.');
		isReachable = true;
	} catch {
		isReachable = false;
		say('The sandbox does not answer. Is it still running?', true);
	}
}

/** @param {string} text */
function say(text, isBad = false) {
	const message = document.getElementById('message');
	if (!message) return;
	message.textContent = text;
	message.classList.toggle('bad', isBad);
	clearTimeout(messageTimer);
	if (isBad || text === '') return;
	messageTimer = setTimeout(() => {
		say('');
	}, messageMilliseconds);
}

/** @param {string} text */
async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		say('Copied.');
	} catch {
		say('The browser did not allow copying. Select the text and copy it yourself.', true);
	}
}

/**
 * The fields of a form as JSON: numbers as numbers, empty fields left out.
 *
 * @param {HTMLFormElement} form
 */
function bodyOf(form) {
	const fields = [...form.elements].filter(
		(field) => field instanceof HTMLInputElement || field instanceof HTMLSelectElement,
	);
	const filled = fields.filter(({ name, value }) => name && value !== '');
	return Object.fromEntries(filled.map((field) => [field.name, valueOf(field)]));
}

/** @param {HTMLInputElement | HTMLSelectElement} field */
function valueOf({ type, value }) {
	return type === 'number' ? Number(value) : value;
}
