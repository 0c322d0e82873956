/** The page's behaviour: which section is shown, what the buttons ask for, and how the state comes in. */
/** @import { Choices, State, Triggers } from '../../control/reads.mts' */
import { answerOf } from './deliveries.js';
import { element, find } from './elements.js';
import { bodyOf, drawChoices, fillChoices, fillForms } from './forms.js';
import { draw, keepFocus } from './sections.js';
import { drawTriggers } from './settings.js';

const refreshMilliseconds = 1000;
/** How long good news stays; bad news stays until the next message. */
const messageMilliseconds = 6000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let messageTimer;
let shownState = '';
let shownTriggers = '';

let isReachable = true;
/** @type {Choices | undefined} */
let choices;

document.addEventListener('submit', (event) => {
	event.preventDefault();
	const form = event.target;
	if (!(form instanceof HTMLFormElement)) return;
	const { action, done } = form.dataset;
	if (action) void act(action, bodyOf(form), done);
	for (const field of form.querySelectorAll('input')) if ('once' in field.dataset) field.value = '';
});

document.addEventListener('click', (event) => {
	const pressed = event.target instanceof Element && event.target.closest('button');
	if (!pressed) return;
	const { action, body, done, copy, testEvent } = pressed.dataset;
	if (copy) void copyText(find(copy).textContent);
	else if (testEvent) void sendTest(testEvent);
	else if (action) void act(action, JSON.parse(body ?? '{}'), done);
});

addEventListener('hashchange', () => {
	if (location.hash === '#main') {
		find('main').focus();
		return;
	}
	say('');
	show();
	scrollTo(0, 0);
	void refresh().catch(() => undefined);
});

show();
choices = /** @type {Choices} */ (await control('/choices'));
fillChoices(choices, act);
void keepFresh();

/**
 * @param {string} path under /control
 * @param {unknown} [body] makes it a POST
 * @returns {Promise<unknown>}
 */
async function control(path, body) {
	const answer = await fetch(`/control${path}`, {
		...(body !== undefined && {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		}),
	});
	/** @type {unknown} */
	const content = await answer.json();
	if (!answer.ok) {
		const { error } = /** @type {{ error?: { message?: string } }} */ (content);
		throw new Error(error?.message ?? `The sandbox answered ${answer.status}.`);
	}
	return content;
}

/** @param {string} text */
function say(text, isBad = false) {
	const message = find('message');
	message.textContent = text;
	message.classList.toggle('bad', isBad);
	clearTimeout(messageTimer);
	if (isBad) return;
	messageTimer = setTimeout(() => {
		say('');
	}, messageMilliseconds);
}

/** Asks for the state and draws it if it has changed. */
async function refresh() {
	if (choices === undefined) return;
	const state = /** @type {State} */ (await control('/state'));
	await refreshTriggers(state);
	const text = JSON.stringify(state);
	if (text === shownState) return;
	const isFirst = shownState === '';
	shownState = text;
	draw(state, choices);
	drawChoices(state);
	if (isFirst) fillForms(state);
}

/**
 * The triggers are asked for only while somebody looks at them.
 *
 * @param {State} state
 */
async function refreshTriggers({ webhook }) {
	if (!find('section-webhooks').classList.contains('shown')) return;
	const { triggers } = /** @type {Triggers} */ (await control('/triggers'));
	const text = JSON.stringify([triggers, webhook]);
	if (text === shownTriggers) return;
	shownTriggers = text;
	keepFocus(() => {
		drawTriggers(triggers, webhook);
	});
}

/**
 * Sends a test event, and shows beside the button how it was answered.
 *
 * @param {string} event
 */
async function sendTest(event) {
	const place = find('test-answer');
	place.replaceChildren(element('p', { class: 'quiet' }, `Sending ${event} …`));
	try {
		const attempt = /** @type {State['deliveries'][number]['log'][number]} */ (
			await control('/test-event', { event })
		);
		const { status = 0, error } = attempt;
		const isTaken = !error && status >= 200 && status < 300;
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
			element('p', { class: 'quiet' }, 'What was sent is listed under Deliveries.'),
		);
	} catch (error) {
		place.replaceChildren(element('p', { class: 'reason' }, messageOf(error)));
	}
	await refresh();
}

/**
 * Asks the sandbox for something, and says how it went.
 *
 * @param {string} path under /control
 * @param {unknown} body
 * @param {string} [done]
 */
async function act(path, body, done = 'Done.') {
	try {
		await control(path, body);
		say(done);
	} catch (error) {
		say(messageOf(error), true);
	}
	await refresh();
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

function show() {
	const wanted = document.getElementById(`section-${location.hash.slice(1)}`);
	const section = wanted ?? find('section-start');
	for (const each of document.querySelectorAll('section')) {
		each.classList.toggle('shown', each === section);
	}
	for (const link of document.querySelectorAll('nav a')) {
		if (!(link instanceof HTMLAnchorElement)) continue;
		if (`section-${link.hash.slice(1)}` === section.id) link.setAttribute('aria-current', 'page');
		else link.removeAttribute('aria-current');
	}
	const heading = section.querySelector('h1')?.textContent ?? '';
	document.title = `${heading} – Backlink Exchange sandbox`;
}

async function keepFresh() {
	try {
		await refresh();
		if (!isReachable) say('The sandbox is back.');
		isReachable = true;
	} catch {
		isReachable = false;
		say('The sandbox does not answer. Is it still running?', true);
	}
	setTimeout(() => void keepFresh(), refreshMilliseconds);
}

/** @param {unknown} error */
function messageOf(error) {
	return error instanceof Error ? error.message : String(error);
}
