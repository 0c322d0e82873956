/** Workflows that the polling trigger starts, and that write into the books; they fail when the books refuse. */
import type { WorkflowFile } from '../../../playground/n8n/workflowFiles.mts';

export interface TriggeredOptions {
	/** How many polling triggers it has. */
	triggers?: number;
	/** Whether it waits for somebody after it has written. */
	waits?: boolean;
	/** Parameters of the triggers. */
	parameters?: object;
}

export function triggered(
	id: string,
	booksUrl: string,
	{ triggers = 1, waits = false, parameters = {} }: TriggeredOptions = {},
): WorkflowFile {
	const node = (name: string, type: string, typeVersion: number, own: object) => ({
		id: `${id}-${name}`,
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters: own as Record<string, unknown>,
	});
	const names = Array.from({ length: triggers }, (_, number) => `Poll ${number + 1}`);
	const body = `={{ { eventKey: $json.eventKey, attempt: $json.attempt, workflow: '${id}' } }}`;
	const link = (to: string) => ({ main: [[{ node: to, type: 'main', index: 0 }]] });
	return {
		id,
		name: id,
		nodes: [
			...names.map((name) =>
				node(name, 'n8n-nodes-backlink-exchange.backlinkExchangePollingTrigger', 1, {
					pollTimes: { item: [{ mode: 'everyMinute' }] },
					events: ['exchange.requested', 'watchdog.alert'],
					options: {},
					...parameters,
				}),
			),
			node('Books', 'n8n-nodes-base.httpRequest', 4.2, {
				method: 'POST',
				url: booksUrl,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: body,
				options: {},
			}),
			...(waits ? [node('Wait', 'n8n-nodes-base.wait', 1.1, { resume: 'webhook' })] : []),
		],
		connections: {
			...Object.fromEntries(names.map((name) => [name, link('Books')])),
			...(waits && { Books: link('Wait') }),
		},
		settings: { executionOrder: 'v1' },
	};
}
