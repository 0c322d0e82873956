/** The sections about settings, and those for developers: API keys, webhooks, plan, dialect, faults. */
import {
	dialectSettingNames,
	dialectSettings,
	numberSettingNames,
	numberSettings,
} from '../dialects.mts';
import { faultKinds } from '../faults.mts';
import { eventNames, plans } from '../store/records.mts';
import { answerOf } from './account.mts';
import {
	button,
	copyable,
	form,
	input,
	type Markup,
	markup,
	select,
	state,
	table,
	time,
} from './markup.mts';
import type { DashboardParts } from './sections.mts';

export const planWords = { pro: 'Pro', agency: 'Agency', none: 'No API access' };

export function keys({ keys: all }: DashboardParts): Markup {
	const rows = all.list().map(({ id, name, key, createdAt, revokedAt }) => [
		name,
		markup`<code>${key}</code>`,
		time(createdAt),
		state(revokedAt === undefined ? 'active' : 'revoked'),
		revokedAt === undefined &&
			button('Revoke', {
				action: '/keys/revoke',
				body: { id },
				done: 'The key is revoked.',
				of: name,
			}),
	]);
	return markup`
		${form('/keys', 'The key is ready.', 'Create key', input('Name', 'name', { placeholder: 'n8n' }))}
		<div data-live id="keys">${table(['Name', 'Key', 'Created', 'State', 'Next'], rows, 'There is no API key.')}</div>`;
}

export function webhooks({ settings, log, receiver }: DashboardParts): Markup {
	const { webhook } = settings;
	const last = log.list(1).at(-1);
	const attempt = last && log.attempts(last.id).at(-1);
	const hint = receiver === undefined ? '' : "; n8n's has it already";
	const tests = eventNames.map((event) =>
		button(event, {
			action: '/test-event',
			body: { event },
			done: `${event} was sent.`,
			isDisabled: !webhook,
		}),
	);
	const rows = receiver
		?.triggers()
		.map((each) => [
			markup`<strong>${each.workflow}</strong> ${each.trigger}`,
			address(
				each.productionUrl,
				`production URL of ${each.workflow}`,
				webhook?.url,
				each.isPublished,
			),
			address(each.testUrl, `test URL of ${each.workflow}`, webhook?.url, true),
		]);
	return markup`
		<p>The service sends each event to one URL, signed with the secret.</p>
		<div data-live id="webhook">
			<dl>
				<dt>Events go to</dt><dd>${webhook?.url ?? 'Nowhere: no URL is set.'}</dd>
				${webhook && markup`<dt>Secret</dt><dd>${copyable('secret', webhook.secret)}</dd>`}
			</dl>
			${webhook && markup`<p class="quiet">The credential in n8n needs the same secret, as Webhook Secret${hint}.</p>`}
			<h2>Send a test event</h2>
			<p class="quiet">${webhook ? 'It goes out at once and changes nothing here.' : 'There is no URL to send it to yet. Set one below.'}</p>
			<p>${tests}</p>
			${attempt && markup`<p id="last-delivery">The last one: ${state(last.state === 'delivered' ? 'taken' : 'refused')} ${last.event}: ${answerOf(attempt)}</p>`}
			${rows && markup`<h2>Triggers in n8n</h2>${table(['Workflow', 'Production URL', 'Test URL'], rows, 'There is no workflow with a Backlink Exchange Webhook Trigger yet. Add one in n8n and save it.')}`}
		</div>
		<h2>Set the address by hand</h2>
		${form(
			'/webhook',
			'The webhook is saved.',
			'Save webhook',
			input('URL', 'url', {
				type: 'url',
				required: '',
				placeholder: 'http://127.0.0.1:5678/webhook/…',
			}),
			input('New secret', 'secret', { autocomplete: 'off', placeholder: 'empty: the present one' }),
		)}
		${button('Switch webhooks off', { action: '/webhook/remove', done: 'Webhooks are switched off.' })}`;
}

export function plan({ settings }: DashboardParts): Markup {
	return form(
		'/plan',
		'The plan is changed.',
		'Change plan',
		select('Plan', 'plan', plans, settings.plan, planWords),
	);
}

export function dialect({ settings }: DashboardParts): Markup {
	const rows = dialectSettingNames.map((name) => [
		select(name, name, dialectSettings[name].variants, settings.dialect[name]),
		dialectSettings[name].about,
	]);
	const numbers = numberSettingNames.map((name) => [
		input(name, name, { type: 'number', required: '', value: settings.dialect[name] }),
		numberSettings[name].about,
	]);
	return markup`
		<p>The service's document leaves some answers open. Each setting is one of them; a workflow that works with every
			variant is ready for the real service. For a first workflow, leave them as they are.</p>
		<form data-settings="/dialect">${table(['Setting', 'What it is'], [...rows, ...numbers], '')}</form>`;
}

export function faults({ faults: all }: DashboardParts): Markup {
	const rows = all
		.list()
		.map((fault) => [
			fault.kind,
			faultKinds[fault.kind],
			fault.times,
			fault.method ?? 'any',
			fault.path ?? 'any',
		]);
	const kinds = Object.entries(faultKinds);
	const words = Object.fromEntries(kinds.map(([kind, what]) => [kind, `${kind}: ${what}`]));
	return markup`
		<p>Let something go wrong with the next requests or deliveries, and see what your workflow makes of it.</p>
		${form(
			'/faults',
			'The fault is on.',
			'Switch on',
			select('Fault', 'kind', Object.keys(faultKinds), undefined, words),
			input('Times', 'times', { type: 'number', min: 1, value: 1 }),
			input('Milliseconds', 'milliseconds', { type: 'number', placeholder: 1000 }),
			input('Only method', 'method', { placeholder: 'POST' }),
			input('Only paths that begin with', 'path', { placeholder: '/api/exchanges' }),
		)}
		<div data-live id="faults">${table(['Fault', 'What happens', 'Times', 'Method', 'Path'], rows, 'No fault is on.')}</div>
		${button('Switch all faults off', { action: '/faults/clear', done: 'All faults are off.' })}`;
}

/** One address of a trigger: where it is, and a button that sends events there if somebody listens. */
function address(url: string, name: string, current: string | undefined, listens: boolean): Markup {
	const choose = { action: '/webhook', body: { url }, done: 'Events now go there.', of: name };
	return markup`${copyable(name, url)}
		<p>${url === current ? state('Events go here') : button('Send events here', { ...choose, isDisabled: !listens })}</p>
		${!listens && markup`<p class="bad">Not published: publish it in n8n first</p>`}`;
}
