/** The pages of the settings and for developers: API keys, webhooks, plan, dialect, faults. */
import {
	dialectSettingNames,
	dialectSettings,
	numberSettingNames,
	numberSettings,
} from '../dialects.mts';
import { faultKinds } from '../faults.mts';
import type { Service } from '../service/service.mts';
import { type ApiKey, eventNames, plans } from '../store/records.mts';
import type { Receiver, TriggerAddress } from '../webhookReceiver.mts';
import { describeResponse } from './account.mts';
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

export const planLabels = { pro: 'Pro', agency: 'Agency', none: 'No API access' };

export function keys({ store }: Service): Markup {
	return markup`
		${form('/keys', 'Create key', input('Name', 'name', { placeholder: 'n8n' }))}
		<div data-live id="keys">${table(store.rows<ApiKey>('keys'), 'There is no API key.', {
			Name: ({ name }) => name,
			Key: ({ key }) => markup`<code>${key}</code>`,
			Created: ({ createdAt }) => time(createdAt),
			State: ({ revokedAt }) => state(revokedAt === undefined ? 'active' : 'revoked'),
			Next: ({ key, name, revokedAt }) =>
				revokedAt === undefined && button('Revoke', '/keys/revoke', { key }, { of: name }),
		})}</div>`;
}

export function webhooks({ settings, books }: Service, receiver: Receiver | undefined): Markup {
	const { webhook } = settings;
	const last = books.deliveries().at(-1);
	const attempt = last?.log.at(-1);
	const tests = eventNames.map((event) =>
		button(event, '/test-event', { event }, { isDisabled: !webhook }),
	);
	const address = (trigger: TriggerAddress, kind: 'production' | 'test', isListening: boolean) => {
		const url = kind === 'production' ? trigger.productionUrl : trigger.testUrl;
		const of = `${kind} URL of ${trigger.workflow}`;
		const chooseButton = button(
			'Send events here',
			'/webhook',
			{ url },
			{ of, isDisabled: !isListening },
		);
		return markup`${copyable(of, url)}
			<p>${url === webhook?.url ? state('Events go here') : chooseButton}</p>
			${!isListening && markup`<p class="bad">Not published: publish it in n8n first</p>`}`;
	};
	const triggers =
		receiver &&
		table(
			receiver.triggers(),
			'There is no workflow with a Backlink Exchange Webhook Trigger yet. Add one in n8n and save it.',
			{
				Workflow: ({ workflow, trigger }) => markup`<strong>${workflow}</strong> ${trigger}`,
				'Production URL': (trigger) => address(trigger, 'production', trigger.isPublished),
				'Test URL': (trigger) => address(trigger, 'test', true),
			},
		);
	return markup`
		<p>The service sends each event to one URL, signed with the secret.</p>
		<div data-live id="webhook">
			<dl>
				<dt>Events go to</dt><dd>${webhook?.url ?? 'Nowhere: no URL is set.'}</dd>
				${webhook && markup`<dt>Secret</dt><dd>${copyable('secret', webhook.secret)}</dd>`}
			</dl>
			${webhook && markup`<p class="quiet">${receiver ? 'The credential that was made for you in n8n has this secret already.' : 'The credential in n8n needs this secret as its Webhook Secret.'}</p>`}
			<h2>Send a test event</h2>
			<p class="quiet">${webhook ? 'It goes out at once and changes nothing here.' : 'There is no URL to send it to yet. Set one below.'}</p>
			<p>${tests}</p>
			${attempt && markup`<p id="last-delivery">The last delivery, ${last?.event}, was ${state(last?.state === 'delivered' ? 'taken' : 'refused')}: ${describeResponse(attempt)}</p>`}
			${triggers && markup`<h2>Triggers in n8n</h2>${triggers}`}
		</div>
		<h2>Set the address by hand</h2>
		${form(
			'/webhook',
			'Save webhook',
			input('URL', 'url', {
				type: 'url',
				required: '',
				placeholder: 'http://127.0.0.1:5678/webhook/…',
				size: 30,
			}),
			input('New secret', 'secret', { autocomplete: 'off', placeholder: 'empty: the present one' }),
		)}
		${button('Switch webhooks off', '/webhook/remove')}`;
}

export function plan({ settings }: Service): Markup {
	return markup`
		<p>The plan sets how many requests the API answers: Pro 60 a minute and 10,000 a day, Agency 240 and 100,000.
			Without API access, it refuses them all.</p>
		${form('/plan', 'Change plan', select('Plan', 'plan', plans, settings.plan, planLabels))}`;
}

export function dialect({ settings }: Service): Markup {
	const rows = [
		...dialectSettingNames.map((name) => ({
			field: select(name, name, dialectSettings[name].variants, settings.dialect[name]),
			about: dialectSettings[name].about,
		})),
		...numberSettingNames.map((name) => ({
			field: input(name, name, { type: 'number', required: '', value: settings.dialect[name] }),
			about: numberSettings[name].about,
		})),
	];
	return markup`
		<p>The service's document leaves some answers open. Each setting is one of them; a workflow that works with every
			variant is ready for the real service. For a first workflow, leave them as they are.</p>
		<form data-settings="/dialect">${table(rows, '', {
			Setting: ({ field }) => field,
			'What it is': ({ about }) => about,
		})}</form>`;
}

export function faults({ faults: activeFaults }: Service): Markup {
	const kinds = Object.entries(faultKinds);
	const labels = Object.fromEntries(kinds.map(([kind, what]) => [kind, `${kind}: ${what}`]));
	return markup`
		<p>Let something go wrong with the next requests or deliveries, and see what your workflow makes of it.</p>
		${form(
			'/faults',
			'Switch on',
			select('Fault', 'kind', Object.keys(faultKinds), undefined, labels),
			input('Times', 'times', { type: 'number', min: 1, value: 1 }),
			input('Milliseconds', 'milliseconds', { type: 'number', placeholder: 1000 }),
			input('Only method', 'method', { placeholder: 'POST' }),
			input('Only paths that begin with', 'path', { placeholder: '/api/exchanges' }),
		)}
		<div data-live id="faults">${table(activeFaults.list(), 'No fault is on.', {
			Fault: ({ kind }) => kind,
			'What happens': ({ kind }) => faultKinds[kind],
			Times: ({ times }) => times,
			Method: ({ method = 'any' }) => method,
			Path: ({ path = 'any' }) => path,
		})}</div>
		${button('Switch all faults off', '/faults/clear')}`;
}
