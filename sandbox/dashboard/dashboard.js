/** Script of the dashboard: sends its buttons and forms, and refreshes its live elements. */

const refreshMilliseconds = 1000;
/** How long a success message stays. An error message stays until the next message. */
const messageMilliseconds = 6000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let messageTimer;
let isReachable = true;

document.addEventListener('submit', (event) => {
	event.preventDefault();
	const form = event.target;
	if (!(form instanceof HTMLFormElement)) return;
	const { action } = form.dataset;
	if (action) void act(action, getFormBody(form));
	// A secret isn't left in its field.
	for (const field of form.querySelectorAll('input[autocomplete]')) {
		if (field instanceof HTMLInputElement) field.value = '';
	}
});

document.addEventListener('click', (event) => {
	const pressed = event.target instanceof Element && event.target.closest('button');
	if (!pressed) return;
	const { action, body = '{}', copy, form = '' } = pressed.dataset;
	const fields = document.getElementById(form);
	if (fields instanceof HTMLFormElement && !fields.reportValidity()) return;
	const more = fields instanceof HTMLFormElement ? getFormBody(fields) : {};
	if (copy) void copyText(document.getElementById(copy)?.textContent ?? '');
	else if (action) void act(action, { .../** @type {object} */ (JSON.parse(body)), ...more });
});

// An API variant is saved as soon as it is changed.
document.addEventListener('change', ({ target }) => {
	const isField = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
	if (!isField || !target.form?.dataset.settings || !target.reportValidity()) return;
	void act(target.form.dataset.settings, { dialect: { [target.name]: getFieldValue(target) } });
});

setInterval(() => void refresh(), refreshMilliseconds);

/**
 * Sends an action to the sandbox and shows the message of the response.
 *
 * @param {string} path under /control
 * @param {unknown} body
 */
async function act(path, body) {
	try {
		const response = await fetch(`/control${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		/** @type {unknown} */
		const content = await response.json();
		const { message = '', error } =
			/** @type {{ message?: string, error?: { message: string } }} */ (content);
		showMessage(error?.message ?? message, error !== undefined);
	} catch (error) {
		showMessage(String(error), true);
	}
	await refresh();
}

/** Refreshes live elements that have changed. The focus and open details stay. */
async function refresh() {
	try {
		const text = await (await fetch(location.pathname)).text();
		const nextPage = new DOMParser().parseFromString(text, 'text/html');
		const focused = document.activeElement?.id;
		for (const element of document.querySelectorAll('[data-live]')) {
			const next = nextPage.getElementById(element.id);
			for (const { id } of element.querySelectorAll('details[open]')) {
				nextPage.getElementById(id)?.setAttribute('open', '');
			}
			if (next && next.innerHTML !== element.innerHTML) element.replaceChildren(...next.childNodes);
		}
		if (focused && document.activeElement?.id !== focused) {
			document.getElementById(focused)?.focus();
		}
		if (!isReachable) showMessage('The sandbox is running again.');
		isReachable = true;
	} catch {
		isReachable = false;
		showMessage("The sandbox doesn't respond. Check that it's still running.", true);
	}
}

/** @param {string} text */
function showMessage(text, isBad = false) {
	const message = document.getElementById('message');
	if (!message) return;
	message.textContent = text;
	message.classList.toggle('bad', isBad);
	clearTimeout(messageTimer);
	if (isBad || text === '') return;
	messageTimer = setTimeout(() => {
		showMessage('');
	}, messageMilliseconds);
}

/** @param {string} text */
async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		showMessage('Copied.');
	} catch {
		showMessage("The browser didn't allow copying. Select the text, and copy it yourself.", true);
	}
}

/**
 * Returns the fields of a form as JSON values, without empty ones.
 *
 * @param {HTMLFormElement} form
 */
function getFormBody(form) {
	const fields = [...form.elements].filter(
		(field) => field instanceof HTMLInputElement || field instanceof HTMLSelectElement,
	);
	const filled = fields.filter(({ name, value }) => name && value !== '');
	return Object.fromEntries(filled.map((field) => [field.name, getFieldValue(field)]));
}

/** @param {HTMLInputElement | HTMLSelectElement} field */
function getFieldValue({ type, value }) {
	return type === 'number' ? Number(value) : value;
}
