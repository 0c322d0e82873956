/** The forms of the page: what can be chosen in them, what they begin with, and what they send. */
/** @import { Choices, State } from '../../control/reads.mts' */
import { element, find } from './elements.js';
import { dialectFields } from './settings.js';

/**
 * The fields of a form as JSON: numbers as numbers, boxes as true or false, empty fields left out.
 *
 * @param {HTMLFormElement} form
 */
export function bodyOf(form) {
	const fields = [...form.elements].filter(
		(field) => field instanceof HTMLInputElement || field instanceof HTMLSelectElement,
	);
	return Object.fromEntries(
		fields
			.filter(({ name, type, value }) => name && (type === 'checkbox' || value !== ''))
			.map((field) => [field.name, valueOf(field)]),
	);
}

/**
 * The lists to choose from, which never change while the sandbox runs.
 *
 * @param {Choices} choices
 * @param {(path: string, body: object, done: string) => Promise<void>} act
 */
export function fillChoices(choices, act) {
	fill('plan-choice', choices.plans, choices.planWords);
	fill('alert-severity', choices.severities);
	fill('verification-outcome', choices.verificationOutcomes);
	find('test-events').append(
		...choices.events.map((event) =>
			element('button', { type: 'button', 'data-test-event': event }, event),
		),
	);
	const kinds = find('fault-kind', HTMLSelectElement);
	const sentences = /** @type {Record<string, string>} */ (choices.faultKinds);
	fill('fault-kind', Object.keys(sentences));
	const explain = () => {
		find('about-fault').textContent = sentences[kinds.value] ?? '';
	};
	kinds.addEventListener('change', explain);
	explain();
	find('dialect-settings').replaceChildren(
		...dialectFields(choices, (setting, value) => {
			void act('/dialect', { dialect: { [setting]: value } }, `${setting}: now ${value}.`);
		}),
	);
}

/**
 * Sets the fields that always show the present state, but not the one that somebody is editing.
 *
 * @param {State} state
 */
export function drawChoices(state) {
	for (const [setting, variant] of Object.entries(state.dialect)) {
		const field = document.getElementById(`dialect-${setting}`);
		if (field === document.activeElement) continue;
		if (field instanceof HTMLSelectElement || field instanceof HTMLInputElement) {
			field.value = String(variant);
		}
	}
	const chooser = find('alert-exchange', HTMLSelectElement);
	const chosen = chooser.value;
	chooser.replaceChildren(
		element('option', { value: '' }, 'the newest'),
		...state.exchanges.rows.map(({ id, status }) =>
			element('option', { value: id }, `${id} (${status})`),
		),
	);
	chooser.value = chosen;
	if (chooser.selectedIndex < 0) chooser.value = '';
}

/**
 * Fills in what the forms begin with. Call it once, because a form must not change while somebody fills it in.
 *
 * @param {State} state
 */
export function fillForms({ plan, readOnly, verification, webhook }) {
	find('plan-choice', HTMLSelectElement).value = plan;
	find('read-only', HTMLInputElement).checked = readOnly;
	find('verification-outcome', HTMLSelectElement).value = verification.outcome;
	find('verification-delay', HTMLInputElement).value = String(verification.delayMilliseconds);
	find('webhook-url', HTMLInputElement).value = webhook?.url ?? '';
}

/** @param {HTMLInputElement | HTMLSelectElement} field */
function valueOf(field) {
	if (field instanceof HTMLInputElement && field.type === 'checkbox') return field.checked;
	return field.type === 'number' ? Number(field.value) : field.value;
}

/**
 * @template {string} Value
 * @param {string} id
 * @param {readonly Value[]} values
 * @param {Record<Value, string>} [words] what the values are called, where they are not words themselves
 */
function fill(id, values, words) {
	find(id).replaceChildren(
		...values.map((value) => element('option', { value }, words?.[value] ?? value)),
	);
}
