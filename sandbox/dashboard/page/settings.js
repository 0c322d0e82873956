/** What the sections about settings show: API keys, webhooks, faults, dialect. */
/** @import { Choices, State, Triggers } from '../../control/reads.mts' */
import { button, copyable, element, find, state, table, text, time } from './elements.js';

/** @param {State} state */
export function drawKeys({ keys }) {
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
}

/** @param {State} state */
export function drawWebhook({ webhook }) {
	for (const id of ['webhook-remove', 'webhook-secret-row', 'webhook-secret-use']) {
		find(id).hidden = !webhook;
	}
	text('webhook-now', webhook?.url ?? 'Nowhere: no URL is set.');
	text('webhook-secret', webhook?.secret ?? '');
	find('webhook-new-secret', HTMLInputElement).placeholder = webhook
		? 'leave empty to keep the one above'
		: 'leave empty to have one made up';
	find('test-events', HTMLFieldSetElement).disabled = !webhook;
	text(
		'about-test-events',
		webhook
			? 'It goes out at once and changes nothing here. The answer appears below.'
			: 'There is no URL to send it to yet. Set one below.',
	);
}

/**
 * The triggers that n8n has; nothing when the sandbox was started alone.
 *
 * @param {Triggers['triggers']} triggers
 * @param {State['webhook']} webhook
 */
export function drawTriggers(triggers, webhook) {
	for (const id of ['triggers', 'playground-knows']) find(id).hidden = triggers === null;
	const deliveredTo = (/** @type {string} */ url) => webhook?.url === url;
	table(
		'triggers-table',
		['Workflow', 'Production URL', 'Test URL'],
		(triggers ?? []).map((each, index) => [
			element(
				'div',
				{},
				element('p', {}, element('strong', {}, each.workflow)),
				element('p', { class: 'quiet' }, each.trigger),
			),
			address(each.productionUrl, `production-${index}`, deliveredTo(each.productionUrl), {
				label: 'Send events here',
				described: `production URL of ${each.workflow}`,
				note: each.isPublished ? 'Published' : 'Not published: publish it in n8n first',
				isGood: each.isPublished,
			}),
			address(each.testUrl, `test-${index}`, deliveredTo(each.testUrl), {
				label: 'Send events here',
				described: `test URL of ${each.workflow}`,
				note: 'Works while the workflow listens for a test event',
				isGood: true,
			}),
		]),
		'There is no workflow with a Backlink Exchange Webhook Trigger yet. Add one in n8n and save it.',
	);
}

/**
 * @param {State} state
 * @param {Choices} choices
 */
export function drawFaults({ faults }, { faultKinds }) {
	table(
		'faults-table',
		['Fault', 'What happens', 'Next', 'Method', 'Path', 'Milliseconds'],
		faults.map((fault) => [
			fault.kind,
			faultKinds[fault.kind],
			fault.times,
			fault.method ?? 'any',
			fault.path ?? 'any',
			fault.milliseconds,
		]),
		'No fault is on.',
	);
}

/** @typedef {keyof Choices['dialectSettings'] | keyof Choices['numberSettings']} Setting */

/**
 * One field for each setting of the dialect.
 *
 * @param {Choices} choices
 * @param {(setting: Setting, value: string | number) => void} choose called with what was chosen
 */
export function dialectFields({ dialectSettings, numberSettings }, choose) {
	const field = (
		/** @type {Setting} */ setting,
		/** @type {HTMLSelectElement | HTMLInputElement} */ input,
	) => {
		const { about } = { ...dialectSettings, ...numberSettings }[setting];
		input.id = `dialect-${setting}`;
		input.setAttribute('aria-describedby', `about-${setting}`);
		return element(
			'div',
			{},
			element('label', {}, setting, input),
			element('p', { class: 'quiet', id: `about-${setting}` }, about),
		);
	};
	const selects = Object.entries(dialectSettings).map(([name, { variants }]) => {
		const setting = /** @type {Setting} */ (name);
		const select = element(
			'select',
			{},
			...variants.map((value) => element('option', { value }, value)),
		);
		select.addEventListener('change', () => {
			choose(setting, select.value);
		});
		return field(setting, select);
	});
	const numbers = Object.keys(numberSettings).map((name) => {
		const setting = /** @type {Setting} */ (name);
		const input = element('input', { type: 'number', step: '1', required: '' });
		input.addEventListener('change', () => {
			if (input.reportValidity()) choose(setting, Number(input.value));
		});
		return field(setting, input);
	});
	return [...selects, ...numbers];
}

/**
 * @param {string} url
 * @param {string} id
 * @param {boolean} isCurrent
 * @param {{ label: string, described: string, note: string, isGood: boolean }} words
 */
function address(url, id, isCurrent, { label, described, note, isGood }) {
	const choose = button(label, '/webhook', { url }, 'Events now go there.', described);
	choose.disabled = !isGood;
	return element(
		'div',
		{},
		copyable(`url-${id}`, url, described),
		element('p', { class: isGood ? 'quiet' : 'reason' }, note),
		isCurrent
			? element('p', {}, element('span', { class: 'state good' }, 'Events go here'))
			: choose,
	);
}
