/** The pages of the settings and for developers. */
import {
	dialectSettingNames,
	dialectSettings,
	numberSettingNames,
	numberSettings,
} from '../dialects.mts';
import { faultKinds } from '../faults.mts';
import type { Service } from '../service/service.mts';
import { type ApiKey, eventNames, plans } from '../store/records.mts';
import type { TriggerAddress } from '../webhookReceiver.mts';
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
import type { PageContext } from './pageContext.mts';

export const planLabels = { pro: 'Pro', agency: 'Agency', none: 'No API access' };

export function keys({ store }: Service): Markup {
	return markup`
		${form('/keys', 'Create key', input('Name', 'name', { placeholder: 'n8n' }))}
		<div data-live id="keys">${table(store.rows<ApiKey>('keys'), 'No API keys yet.', {
			Name: ({ name }) => name,
			Key: ({ key }) => markup`<code>${key}</code>`,
			Created: ({ createdAt }) => time(createdAt),
			Status: ({ revokedAt }) => state(revokedAt === undefined ? 'active' : 'revoked'),
			Action: ({ key, name, revokedAt }) =>
				revokedAt === undefined && button('Revoke', '/keys/revoke', { key }, { of: name }),
		})}</div>`;
}

export function webhooks({ settings, books }: Service, { receiver }: PageContext): Markup {
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
			<p>${url === webhook?.url ? state('Events are sent here') : chooseButton}</p>
			${!isListening && markup`<p class="bad">Publish the workflow in n8n first.</p>`}`;
	};
	const triggers =
		receiver &&
		table(
			receiver.triggers(),
			'No workflows with a Backlink Exchange Webhook Trigger yet. Add the trigger to a workflow in n8n.',
			{
				Workflow: ({ workflow, trigger }) => markup`<strong>${workflow}</strong><br>${trigger}`,
				'Production URL': (trigger) => address(trigger, 'production', trigger.isPublished),
				'Test URL': (trigger) => address(trigger, 'test', true),
			},
		);
	return markup`
		<p>The service sends each event to one URL. It signs the request with the webhook secret.</p>
		<div data-live id="webhook">
			<p>Webhook URL: ${webhook ? markup`<code>${webhook.url}</code>` : 'No URL yet. The sandbox sends no events.'}</p>
			${webhook && markup`<p>Webhook Secret: ${copyable('secret', webhook.secret)}</p>`}
			${webhook && markup`<p class="quiet">${receiver ? 'The credential “Backlink Exchange (sandbox)” in n8n has this secret already.' : 'Copy this secret to the Webhook Secret field of your credential in n8n.'}</p>`}
			<h2>Send a test event</h2>
			<p class="quiet">${webhook ? 'A test event is sent immediately. It changes nothing in your account.' : 'Set a webhook URL first.'}</p>
			<p>${tests}</p>
			${attempt && markup`<p id="last-delivery">Last delivery: ${last?.event} ${state(last?.state === 'delivered' ? 'delivered' : 'not delivered')} ${describeResponse(attempt)}</p>`}
			${triggers && markup`<h2>Triggers in n8n</h2>${triggers}`}
		</div>
		<h2>Send events to another URL</h2>
		${form(
			'/webhook',
			'Save webhook',
			input('URL', 'url', {
				type: 'url',
				required: '',
				placeholder: 'http://127.0.0.1:5678/webhook/…',
				size: 30,
			}),
			input('New secret', 'secret', {
				autocomplete: 'off',
				placeholder: 'leave empty to keep the secret',
			}),
		)}
		<p>${button('Turn off webhooks', '/webhook/remove')}</p>`;
}

export function plan({ settings }: Service): Markup {
	return markup`
		<p>The plan sets the rate limit of the API. With Pro, you can send 60 requests per minute and 10,000 per day. With
			Agency, you can send 240 per minute and 100,000 per day. Without API access, the API rejects all requests.</p>
		${form('/plan', 'Change plan', select('Plan', 'plan', plans, settings.plan, planLabels))}`;
}

export function apiVariants({ settings }: Service): Markup {
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
		<p>The API description of the service doesn't show some details of its responses. Choose here how the sandbox
			responds. A workflow that works with each variant is ready for the real service. For your first workflow,
			keep the defaults.</p>
		<form data-settings="/dialect">${table(rows, '', {
			Setting: ({ field }) => field,
			Description: ({ about }) => about,
		})}</form>`;
}

export function simulatedFailures({ faults: activeFaults }: Service): Markup {
	const kinds = Object.entries(faultKinds);
	const labels = Object.fromEntries(kinds.map(([kind, what]) => [kind, `${kind}: ${what}`]));
	return markup`
		<p>Make the next requests or deliveries fail, and see how your workflow handles it.</p>
		${form(
			'/faults',
			'Turn on',
			select('Failure', 'kind', Object.keys(faultKinds), undefined, labels),
			input('Number of times', 'times', { type: 'number', min: 1, value: 1 }),
			input('Delay (ms)', 'milliseconds', { type: 'number', placeholder: 1000 }),
			input('Response status', 'status', { type: 'number', placeholder: 503, min: 200, max: 599 }),
			input('Response body', 'body', { placeholder: 'empty' }),
			input('Method', 'method', { placeholder: 'any' }),
			input('Path starts with', 'path', { placeholder: '/api' }),
		)}
		<div data-live id="faults">${table(activeFaults.list(), 'No simulated failures are on.', {
			Failure: ({ kind }) => kind,
			Description: ({ kind }) => faultKinds[kind],
			'Remaining times': ({ times }) => times,
			Method: ({ method = 'any' }) => method,
			Path: ({ path = 'any' }) => path,
		})}</div>
		<p>${button('Turn off all failures', '/faults/clear')}</p>`;
}
