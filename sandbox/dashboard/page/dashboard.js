/** The page's behaviour: which section is shown, what the buttons ask for, and how the state comes in. */
import { answerOf } from './deliveries.js';
import { element } from './elements.js';
import { draw, keepFocus } from './sections.js';
import { dialectFields, drawTriggers } from './settings.js';

const refreshMilliseconds = 1000;
/** How long good news stays; bad news stays until the next message. */
const messageMilliseconds = 6000;
let messageTimer;
let shownState = '';
let shownTriggers = '';
let choices;

async function control(path, body) {
	const answer = await fetch(`/control${path}`, {
		...(body && {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		}),
	});
	const content = await answer.json();
	if (!answer.ok)
		throw new Error(content.error?.message ?? `The sandbox answered ${answer.status}.`);
	return content;
}

function say(text, isBad = false) {
	const message = document.getElementById('message');
	message.textContent = text;
	message.classList.toggle('bad', isBad);
	clearTimeout(messageTimer);
	if (!isBad) messageTimer = setTimeout(() => say(''), messageMilliseconds);
}

/** Asks for the state and draws it if it has changed. */
async function refresh() {
	const state = await control('/state');
	await refreshTriggers(state);
	const text = JSON.stringify(state);
	if (text === shownState) return;
	const isFirst = shownState === '';
	shownState = text;
	draw(state, choices);
	drawChoices(state);
	if (isFirst) fillForms(state);
}

/** The triggers are asked for only while somebody looks at them. */
async function refreshTriggers({ webhook }) {
	if (!document.getElementById('section-webhooks').classList.contains('shown')) return;
	const { triggers } = await control('/triggers');
	const text = JSON.stringify([triggers, webhook]);
	if (text === shownTriggers) return;
	shownTriggers = text;
	keepFocus(() => drawTriggers(triggers, webhook));
}

/** Sends a test event, and shows beside the button how it was answered. */
async function sendTest(event) {
	const place = document.getElementById('test-answer');
	place.replaceChildren(element('p', { class: 'quiet' }, `Sending ${event} …`));
	try {
		const attempt = await control('/test-event', { event });
		const isTaken = !attempt.error && attempt.status >= 200 && attempt.status < 300;
		place.replaceChildren(
			element(
				'p',
				{},
				element(
					'span',
					{ class: `state ${isTaken ? 'good' : 'bad'}` },
					isTaken ? 'Taken' : 'Refused',
				),
				` ${event}`,
			),
			...answerOf(attempt),
			element('p', { class: 'quiet' }, 'What was sent stands under Deliveries.'),
		);
	} catch (error) {
		place.replaceChildren(element('p', { class: 'reason' }, error.message));
	}
	await refresh();
}

async function act(path, body, done) {
	try {
		await control(path, body);
		say(done);
	} catch (error) {
		say(error.message, true);
	}
	await refresh();
}

/** The fields of a form as JSON: numbers as numbers, boxes as true or false, empty fields left out. */
function bodyOf(form) {
	const fields = [...form.elements].filter(
		(field) => field.name && (field.type === 'checkbox' || field.value !== ''),
	);
	return Object.fromEntries(
		fields.map((field) => [
			field.name,
			field.type === 'checkbox'
				? field.checked
				: field.type === 'number'
					? Number(field.value)
					: field.value,
		]),
	);
}

document.addEventListener('submit', (event) => {
	event.preventDefault();
	const form = event.target;
	if (form.dataset.action) void act(form.dataset.action, bodyOf(form), form.dataset.done);
	for (const field of form.querySelectorAll('[data-once]')) field.value = '';
});

document.addEventListener('click', (event) => {
	const pressed = event.target.closest('button');
	if (!pressed) return;
	const { action, body, done, copy, testEvent } = pressed.dataset;
	if (copy) void copyText(document.getElementById(copy).textContent);
	else if (testEvent) void sendTest(testEvent);
	else if (action) void act(action, JSON.parse(body ?? '{}'), done);
});

async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		say('Copied.');
	} catch {
		say('The browser did not allow copying. Select the text and copy it yourself.', true);
	}
}

function show() {
	const wanted = location.hash.slice(1);
	const section =
		document.getElementById(`section-${wanted}`) ?? document.getElementById('section-start');
	for (const each of document.querySelectorAll('section'))
		each.classList.toggle('shown', each === section);
	for (const link of document.querySelectorAll('nav a')) {
		if (`section-${link.hash.slice(1)}` === section.id) link.setAttribute('aria-current', 'page');
		else link.removeAttribute('aria-current');
	}
	document.title = `${section.querySelector('h1').textContent} – Backlink Exchange sandbox`;
}

addEventListener('hashchange', () => {
	if (location.hash === '#main') return document.getElementById('main').focus();
	say('');
	show();
	scrollTo(0, 0);
	void refresh().catch(() => undefined);
});

function fill(id, values, label = (value) => value) {
	document
		.getElementById(id)
		.replaceChildren(...values.map((value) => element('option', { value }, label(value))));
}

/** The lists to choose from, which never change while the sandbox runs. */
function fillChoices() {
	const planNames = { pro: 'Pro', agency: 'Agency', none: 'Without API access' };
	fill('plan-choice', choices.plans, (plan) => planNames[plan]);
	fill('alert-severity', choices.severities);
	fill('verification-outcome', choices.verificationOutcomes);
	fill('dialect-choice', choices.dialects);
	document
		.getElementById('test-events')
		.append(
			...choices.events.map((event) =>
				element('button', { type: 'button', 'data-test-event': event }, event),
			),
		);
	const kinds = document.getElementById('fault-kind');
	kinds.replaceChildren(
		...Object.entries({
			Requests: choices.requestFaults,
			Deliveries: choices.deliveryFaults,
		}).map(([label, values]) =>
			element(
				'optgroup',
				{ label },
				...values.map((value) => element('option', { value }, choices.faultWords[value].name)),
			),
		),
	);
	const explain = () => {
		document.getElementById('about-fault').textContent = choices.faultWords[kinds.value].sentence;
	};
	kinds.addEventListener('change', explain);
	explain();
	document.getElementById('dialect-settings').replaceChildren(
		...dialectFields(choices, (setting, value) => {
			const { name } = choices.settingWords[setting];
			void act('/dialect', { dialect: { [setting]: value } }, `${name}: now ${value}.`);
		}),
	);
}

/** What follows the state even while it is being edited elsewhere. */
function drawChoices(state) {
	for (const [setting, variant] of Object.entries(state.dialect)) {
		const select = document.getElementById(`dialect-${setting}`);
		if (select && select !== document.activeElement) select.value = variant;
	}
	const chooser = document.getElementById('alert-exchange');
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

/** Once: a form that somebody is filling in must not change under her hands. */
function fillForms(state) {
	document.getElementById('plan-choice').value = state.plan;
	document.getElementById('read-only').checked = state.readOnly;
	document.getElementById('verification-outcome').value = state.verification.outcome;
	document.getElementById('verification-delay').value = state.verification.delayMilliseconds;
	document.getElementById('webhook-url').value = state.webhook?.url ?? '';
}

let isReachable = true;
async function keepFresh() {
	try {
		await refresh();
		if (!isReachable) say('The sandbox is back.');
		isReachable = true;
	} catch {
		isReachable = false;
		say('The sandbox does not answer. Is it still running?', true);
	}
	setTimeout(keepFresh, refreshMilliseconds);
}

show();
choices = await control('/choices');
fillChoices();
await keepFresh();
