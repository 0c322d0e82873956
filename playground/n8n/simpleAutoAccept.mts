import type { WorkflowFile } from './workflowFiles.mts';

/**
 * Accepts every pending offer: what the playground has on an n8n that is too old for the ready-made workflow that does so
 * by rules. Not ready-made itself: outside of the sandbox, nobody should spend credits without rules.
 *
 * @param id that of the ready-made workflow
 */
export function simpleAutoAccept(id: string): WorkflowFile {
	const next = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
	const own = { type: 'n8n-nodes-backlink-exchange.backlinkExchange', typeVersion: 1 };
	return {
		id,
		name: 'Accept every offer (sandbox only)',
		nodes: [
			{
				id: 'schedule',
				name: 'Schedule',
				type: 'n8n-nodes-base.scheduleTrigger',
				typeVersion: 1.2,
				position: [0, 0],
				parameters: { rule: { interval: [{ field: 'hours', hoursInterval: 1 }] } },
			},
			{
				...own,
				id: 'offers',
				name: 'Get pending offers',
				position: [220, 0],
				parameters: {
					resource: 'exchange',
					operation: 'getAll',
					status: 'pending',
					returnAll: true,
				},
			},
			{
				...own,
				id: 'accept',
				name: 'Accept offer',
				position: [440, 0],
				parameters: {
					resource: 'exchange',
					operation: 'accept',
					exchangeId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				},
			},
		],
		connections: {
			Schedule: next('Get pending offers'),
			'Get pending offers': next('Accept offer'),
		},
		settings: { executionOrder: 'v1' },
	};
}
