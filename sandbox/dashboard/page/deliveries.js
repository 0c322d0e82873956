/** What was sent to the webhook URL, and how it was answered. */
/** @import { State } from '../../control/reads.mts' */
import { button, element, state, table, time } from './elements.js';

/** @typedef {State['deliveries'][number]} Delivery */

/** @param {State} state */
export function drawDeliveries({ deliveries }) {
	table(
		'deliveries-table',
		['Time', 'Event', 'State', 'Answers', 'Body', 'Actions'],
		deliveries.map((delivery) => [
			time(delivery.createdAt),
			element('span', { class: 'id' }, delivery.event),
			state(delivery.state),
			attempts(delivery.log),
			body(delivery),
			button(
				'Send again',
				'/redeliver',
				{ id: delivery.id },
				'It is on its way again.',
				`delivery ${delivery.id}`,
			),
		]),
		'Nothing was sent yet.',
	);
}

/**
 * How a delivery was answered, in words.
 *
 * @param {Delivery['log'][number]} attempt
 */
export function answerOf({ status, answer, error, reason }) {
	return [
		element('p', {}, error ?? `${status ?? ''} ${sentenceOf(answer ?? '')}`.trim()),
		...(reason ? [element('p', { class: 'reason' }, reason)] : []),
	];
}

/**
 * What an answer says: of n8n's errors the message, without the stack trace.
 *
 * @param {string} answer
 */
function sentenceOf(answer) {
	try {
		/** @type {unknown} */
		const content = JSON.parse(answer);
		if (typeof content === 'object' && content !== null && 'message' in content) {
			return String(content.message);
		}
	} catch {
		// An answer that is not JSON is shown as it is.
	}
	const [first = ''] = answer.split(/\n\s+at /);
	return first;
}

/** @param {Delivery['log']} log */
function attempts(log) {
	if (log.length === 0) return 'none';
	return element(
		'ol',
		{},
		...log.map((attempt) =>
			element('li', {}, ...answerOf(attempt), element('small', {}, `${attempt.milliseconds} ms`)),
		),
	);
}

/** The deliveries whose body is open stay open when the table is drawn anew. */
/** @type {Set<number>} */
const open = new Set();

/** @param {Delivery} delivery */
function body({ id, body: content, event }) {
	const details = element(
		'details',
		{},
		element('summary', { id: `body-${id}`, 'aria-label': `Body of ${event} ${id}` }, 'Show'),
		element('pre', {}, pretty(content)),
	);
	details.open = open.has(id);
	details.addEventListener('toggle', () => {
		if (details.open) open.add(id);
		else open.delete(id);
	});
	return details;
}

/** @param {string} content */
function pretty(content) {
	try {
		return JSON.stringify(JSON.parse(content), undefined, 2);
	} catch {
		return content;
	}
}
