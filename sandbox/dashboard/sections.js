/** What each section of the page shows of the sandbox's state. Everything is set as text, never as HTML. */

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
function button(label, action, body, done, described = '') {
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

function time(milliseconds) {
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

function state(word) {
	return element('span', { class: `state ${moods[word] ?? ''}` }, word);
}

/** Draws a table, or the sentence for when there is nothing in it. */
function table(id, columns, rows, empty) {
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

function text(id, value) {
	document.getElementById(id).textContent = value;
}

function drawStart({ baseUrl, keys, plan, credits, exchanges, activity }) {
	text('fact-plan', { pro: 'Pro', agency: 'Agency', none: 'No API access' }[plan]);
	text('fact-credits', credits.balance);
	text('fact-pending', exchanges.pending);
	text('base-url', baseUrl);
	text('first-key', keys.find((key) => !key.revokedAt)?.key ?? 'none: create one under API Keys');
	document
		.getElementById('activity')
		.replaceChildren(
			...(activity.length === 0 ? [element('li', {}, element('span'), 'Nothing yet.')] : []),
			...activity.map((line) =>
				element(
					'li',
					{},
					element('time', { datetime: line.time }, new Date(line.time).toLocaleTimeString()),
					element('span', {}, line.text),
				),
			),
		);
}

function drawSites({ sites }) {
	table(
		'sites-table',
		['URL', 'Niche', 'DR', 'Verified', 'ID'],
		sites.map((site) => [
			site.url,
			site.niche,
			site.dr,
			site.verified ? state('verified') : 'no',
			element('code', {}, site.id),
		]),
		'There is no site yet.',
	);
}

function drawOffers({ exchanges }) {
	const { total, rows } = exchanges;
	text(
		'offers-total',
		total > rows.length
			? `The newest ${rows.length} of ${total} exchanges.`
			: `${total} exchanges, newest first.`,
	);
	table(
		'offers-table',
		['ID', 'From', 'To', 'Anchor', 'Status', 'Credits', 'Actions'],
		rows.map((exchange) => [
			element('code', {}, exchange.id),
			exchange.fromSite,
			exchange.toSite,
			exchange.anchor,
			state(exchange.status),
			exchange.cost,
			offerButtons(exchange),
		]),
		'There is no offer yet.',
	);
}

function offerButtons({ id, status }) {
	const body = { id };
	switch (status) {
		case 'pending':
			return [button('Accept', '/accept', body, 'The offer is accepted.', id)];
		case 'accepted':
			return [button('Publish', '/publish', body, 'The link is live.', id)];
		case 'live':
			return [
				button('Break link', '/break', body, 'The link is gone, and the watchdog has noticed.', id),
			];
		default:
			return [button('Publish again', '/publish', body, 'The link is live again.', id)];
	}
}

function drawCredits({ credits }) {
	const figures = {
		Balance: credits.balance,
		'Lifetime earned': credits.lifetimeEarned,
		'Lifetime spent': credits.lifetimeSpent,
	};
	document
		.getElementById('credit-figures')
		.replaceChildren(
			...Object.entries(figures).map(([name, value]) =>
				element('div', {}, element('dt', {}, name), element('dd', {}, String(value))),
			),
		);
	const kinds = {
		opening: 'Opening balance',
		exchange_accepted: 'Exchange accepted',
		adjustment: 'Adjustment',
	};
	table(
		'credits-table',
		['Time', 'What', 'Exchange', 'Credits'],
		credits.entries.map((entry) => [
			time(entry.createdAt),
			kinds[entry.kind],
			entry.exchangeId ?? '–',
			entry.amount,
		]),
		'The ledger is empty.',
	);
}

function drawWatchdog({ watchdogEvents }) {
	table(
		'watchdog-table',
		['Time', 'Severity', 'Type', 'Exchange', 'Detail'],
		watchdogEvents.map((event) => [
			time(event.createdAt),
			state(event.severity),
			event.type,
			element('code', {}, event.exchangeId),
			event.detail,
		]),
		'Nothing has happened to a link yet.',
	);
}

function drawDeliveries({ deliveries }) {
	table(
		'deliveries-table',
		['Time', 'Event', 'State', 'Attempts', 'Body', 'Actions'],
		deliveries.map((delivery) => [
			time(delivery.createdAt),
			delivery.event,
			state(delivery.state),
			attempts(delivery.log),
			element('code', {}, delivery.body),
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

function attempts(log) {
	if (log.length === 0) return 'none';
	return element(
		'ol',
		{},
		...log.map((attempt) =>
			element(
				'li',
				{},
				attempt.error ?? `${attempt.status} ${attempt.answer ?? ''}`.trim(),
				` (${attempt.milliseconds} ms)`,
			),
		),
	);
}

function drawSettings({ keys, webhook, faults }) {
	table(
		'keys-table',
		['Name', 'Key', 'Created', 'State', 'Actions'],
		keys.map((key) => [
			key.name,
			element('code', {}, key.key),
			time(key.createdAt),
			state(key.revokedAt ? 'revoked' : 'active'),
			key.revokedAt
				? []
				: [button('Revoke', '/keys/revoke', { id: key.id }, 'The key is revoked.', key.name)],
		]),
		'There is no API key.',
	);
	document.getElementById('webhook-remove').hidden = !webhook;
	table(
		'faults-table',
		['Fault', 'Next', 'Method', 'Path', 'Milliseconds'],
		faults.map((fault) => [
			fault.kind,
			fault.times,
			fault.method ?? 'any',
			fault.path ?? 'any',
			fault.milliseconds,
		]),
		'No fault is on.',
	);
}

const drawings = [
	drawStart,
	drawSites,
	drawOffers,
	drawCredits,
	drawWatchdog,
	drawDeliveries,
	drawSettings,
];

/** Draws all sections. What had the focus has it again afterwards. */
export function draw(now) {
	const focused = document.activeElement?.id;
	for (const drawing of drawings) drawing(now);
	if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}
