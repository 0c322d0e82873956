/**
 * Redelivery in a real n8n at length; prints the table of docs/development/redelivery.md:
 * npm run test:long -- redelivery [single|queue|durable|all [percent of the usual numbers [scenario,…]]]
 */
import { type Mode, Rig } from './rig.mts';
import * as scenarios from './scenarios.mts';

const [only = 'all', percent = '100', named] = process.argv.slice(2);
const modes = (['single', 'queue', 'durable'] as const).filter(
	(mode) => only === 'all' || only === mode,
);
const part = (count: number) => Math.max(3, Math.round((count * Number(percent)) / 100));
const waiting = { events: {}, waits: { waits: true }, two: { triggers: 2 } };
const beside = { events: {}, others: { hasOthers: true } };

interface Scenario {
	workflows?: Parameters<typeof Rig.prepare>[1];
	/** Further environment variables of n8n. */
	settings?: Record<string, string>;
	/** Where it makes no sense. */
	not?: Mode;
	/** Whether it starts n8n itself. */
	starts?: true;
	run: (rig: Rig) => Promise<scenarios.Figures>;
}
const all: Record<string, Scenario> = {
	serviceAwayAtStart: { workflows: beside, starts: true, run: scenarios.serviceAwayAtStart },
	failsTwice: { run: (rig) => scenarios.failsTwice(rig, part(20)) },
	restartsAfterSuccess: { run: (rig) => scenarios.restartsAfterSuccess(rig, part(20)) },
	stopWhileRunning: { run: (rig) => scenarios.stopWhileRunning(rig, part(10)) },
	stopRightAfter: { run: (rig) => scenarios.stopRightAfter(rig, 5) },
	stopAfterPolls: {
		settings: { N8N_SCHEDULER_ENABLED: 'true', N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true' },
		run: (rig) => scenarios.stopAfterPolls(rig, 3),
	},
	stopAtLimit: {
		settings: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '2' },
		run: async (rig) => await scenarios.stopAtLimit(rig),
	},
	dailyTrigger: {
		// n8n's scheduler does not poll when n8n starts, but only for a trigger that was not published before.
		not: 'durable',
		workflows: { events: { daily: true } },
		starts: true,
		run: async (rig) => {
			await rig.start();
			return await scenarios.dailyTrigger(rig, part(5));
		},
	},
	killWhileRunning: { run: (rig) => scenarios.killWhileRunning(rig, 5) },
	kills: { run: (rig) => scenarios.kills(rig, part(1000), 10) },
	failsLong: { run: (rig) => scenarios.failsLong(rig, part(10)) },
	waitsAndTwoTriggers: {
		workflows: waiting,
		run: (rig) => scenarios.waitsAndTwoTriggers(rig, part(10)),
	},
	volume: {
		workflows: { events: { pollsPerMinute: 1 } },
		run: (rig) => scenarios.volume(rig, part(12_000)),
	},
};
const lines = ['| n8n | scenario | figures | minutes |', '| --- | --- | --- | --- |'];
let failed = 0;

async function lineOf(mode: Mode, name: string, scenario: Scenario): Promise<string> {
	const rig = await Rig.prepare(mode, scenario.workflows, scenario.settings);
	const start = performance.now();
	let figures: string;
	try {
		if (scenario.starts !== true) {
			await rig.start();
			// Each trigger has to take note of what is there before anything happens.
			await rig.polls(1);
		}
		const results = Object.entries(await scenario.run(rig));
		figures = results.map(([what, value]) => `${what}: ${value}`).join(', ');
	} catch (error) {
		failed++;
		figures = `FAILED: ${error instanceof Error ? error.message : String(error)}`;
		console.log(rig.n8n.log.slice(-3000));
	} finally {
		await rig.close();
	}
	const minutes = ((performance.now() - start) / 60_000).toFixed(1);
	return `| ${mode} | ${name} | ${figures} | ${minutes} |`;
}

for (const mode of modes) {
	for (const [name, scenario] of Object.entries(all)) {
		if (scenario.not === mode) continue;
		if (named !== undefined && !named.split(',').includes(name)) continue;
		const line = await lineOf(mode, name, scenario);
		lines.push(line);
		console.log(line);
	}
}
console.log(`\n${lines.join('\n')}\n\n${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
