/** How many requests all ready-made workflows send in a day, with the real nodes. */
import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import type { Sandbox } from '../../../sandbox/sandbox.mts';
import {
	readWorkflow,
	type WorkflowFile,
	workflowNames,
	type WorkflowNode,
} from '../../../sandbox/start/n8n/workflowFiles.mts';
import { actionType, runNode } from '../engine.mts';
import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { Poller, pollingType } from './poller.mts';

const clock = useVirtualTime();
const minute = 60_000;
const minutesPerDay = 24 * 60;

/** A trigger with a schedule. */
interface ScheduledTrigger {
	intervalMinutes: number;
	run: () => Promise<unknown>;
}

/** Returns the minutes between two polls or scheduled executions, at most a day. */
function getIntervalMinutes({ parameters }: WorkflowNode): number {
	const { pollTimes, rule } = parameters as {
		pollTimes?: { item: Array<{ mode: string }> };
		rule?: { interval: Array<{ field: string; hoursInterval?: number }> };
	};
	const intervals: Record<string, number> = {
		everyMinute: 1,
		days: minutesPerDay,
		everyDay: minutesPerDay,
		hours: 60 * (rule?.interval[0]?.hoursInterval ?? 1),
		weeks: minutesPerDay,
	};
	const name = pollTimes?.item[0]?.mode ?? rule?.interval[0]?.field ?? '';
	const interval = intervals[name];
	if (interval === undefined) throw new Error(`Unknown schedule: ${name}`);
	return interval;
}

/** Replaces expressions, which refer to other nodes. */
function withoutExpressions(parameters: object): unknown {
	return JSON.parse(JSON.stringify(parameters).replaceAll(/"=\{\{[^"]*\}\}"/g, '"mine.example"'));
}

/** Publishes a workflow: returns its polling triggers, and the action nodes of its schedules. */
async function publish({ nodes }: WorkflowFile, sandbox: Sandbox): Promise<ScheduledTrigger[]> {
	const { baseUrl, apiKey } = sandbox;
	const credential = { baseUrl, apiKey };
	const triggers: ScheduledTrigger[] = [];
	for (const node of nodes) {
		const parameters = node.parameters as INodeParameters;
		if (node.type === pollingType) {
			const poller = new Poller(credential, parameters);
			await poller.start();
			const run = async () => await poller.poll();
			triggers.push({ intervalMinutes: getIntervalMinutes(node), run });
		} else if (node.type === 'n8n-nodes-base.scheduleTrigger') {
			// Accept runs only for offers that another node has chosen.
			const actions = nodes.filter(
				({ type, disabled, parameters }) =>
					type === actionType && disabled !== true && parameters.operation !== 'accept',
			);
			for (const action of actions) {
				const actionParameters = withoutExpressions(action.parameters) as INodeParameters;
				const run = async () =>
					await runNode({ credential, parameters: actionParameters, mode: 'trigger' });
				triggers.push({ intervalMinutes: getIntervalMinutes(node), run });
			}
		}
	}
	return triggers;
}

test('all workflows send at most 3,400 requests a day while nothing happens', async () => {
	const { sandbox } = await startTestService({ credits: 1000 });
	sandbox.addSite({ url: 'https://mine.example', niche: 'tea' });
	const startTime = clock.now();
	const triggers: ScheduledTrigger[] = [];
	for (const name of workflowNames) {
		triggers.push(...(await publish(readWorkflow(name), sandbox)));
	}
	expect(triggers.filter(({ intervalMinutes }) => intervalMinutes === 1)).toHaveLength(3);
	expect(triggers.filter(({ intervalMinutes }) => intervalMinutes > 1)).toHaveLength(6);
	for (let passed = 1; passed < minutesPerDay; passed++) {
		for (const [index, { intervalMinutes, run }] of triggers.entries()) {
			// Each trigger has a second of its own.
			if (passed % intervalMinutes !== index % intervalMinutes) continue;
			const at = startTime + passed * minute + (1 + 4 * index) * 1000;
			await clock.wait(Math.max(1, at - clock.now()));
			await run();
		}
	}
	const paths = sandbox.books.requests().map(({ path }) => path);
	expect(paths.length).toBeLessThanOrEqual(3400);
	const sitesRequests = paths.filter((path) => path === '/api/sites').length;
	// One each hour, and one for each of the two weekly reports, which run apart here.
	expect(sitesRequests).toBeLessThanOrEqual(26);
}, 300_000);
