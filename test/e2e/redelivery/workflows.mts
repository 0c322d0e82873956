/** Workflows that the polling trigger starts, and that write into the books; they fail when the books refuse. */
import type { WorkflowFile } from '../../../playground/n8n/workflowFiles.mts';
import { node, to } from '../nodes.mts';

export interface TriggeredOptions {
	/** How many polling triggers it has. */
	triggers?: number;
	/** Whether it waits for somebody after it has written. */
	waits?: boolean;
	/** Whether it has triggers of other kinds as well: a schedule, and a webhook. */
	hasOthers?: boolean;
	/** How often n8n polls in a minute. */
	pollsPerMinute?: number;
	/** Whether n8n polls twelve hours from now, and once a day; a poll of its start comes all the same. */
	daily?: boolean;
	/** Parameters of the triggers. */
	parameters?: object;
}

export function triggered(
	id: string,
	booksUrl: string,
	{
		triggers = 1,
		waits = false,
		hasOthers = false,
		pollsPerMinute = 3,
		daily = false,
		parameters = {},
	}: TriggeredOptions = {},
): WorkflowFile {
	const names = Array.from({ length: triggers }, (_, number) => `Poll ${number + 1}`);
	const body = `={{ { eventKey: $json.eventKey, attempt: $json.attempt, workflow: '${id}' } }}`;
	// n8n takes no poll time that comes more than once a minute, but several of them.
	const eachMinute = Array.from(
		{ length: pollsPerMinute },
		(_, number) => `${Math.floor((number * 60) / pollsPerMinute)} * * * * *`,
	);
	const inTwelveHours = `0 0 ${(new Date().getUTCHours() + 12) % 24} * * *`;
	const pollTimes = (daily ? [inTwelveHours] : eachMinute).map((cronExpression) => ({
		mode: 'custom',
		cronExpression,
	}));
	const others = [
		node('Schedule', 'scheduleTrigger', 1.2, {
			rule: { interval: [{ field: 'days', daysInterval: 30 }] },
		}),
		node('Webhook', 'webhook', 2, { path: id, options: {} }, { webhookId: id }),
	];
	return {
		id,
		name: id,
		nodes: [
			...names.map((name) =>
				node(name, 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger', 1, {
					pollTimes: { item: pollTimes },
					events: ['exchange.requested', 'watchdog.alert'],
					options: {},
					...parameters,
				}),
			),
			node('Books', 'httpRequest', 4.2, {
				method: 'POST',
				url: booksUrl,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: body,
				options: {},
			}),
			...(hasOthers ? others : []),
			...(waits ? [node('Wait', 'wait', 1.1, { resume: 'webhook' })] : []),
		],
		connections: {
			...Object.fromEntries(
				[...names, ...(hasOthers ? ['Schedule', 'Webhook'] : [])].map((name) => [
					name,
					to('Books'),
				]),
			),
			...(waits && { Books: to('Wait') }),
		},
		settings: { executionOrder: 'v1', timezone: 'Etc/UTC' },
	};
}
