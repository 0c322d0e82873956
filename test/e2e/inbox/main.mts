/**
 * The event inbox in a real n8n at length; prints the table of docs/event-inbox.md:
 * npm run test:inbox [-- single|queue|both [percent of the usual numbers [scenario,…]]]
 */
import { type Mode, Rig } from './rig.mts';
import * as scenarios from './scenarios.mts';

const [only = 'both', percent = '100', named] = process.argv.slice(2);
const modes: Mode[] = only === 'single' || only === 'queue' ? [only] : ['single', 'queue'];
const part = (count: number) => Math.max(10, Math.round((count * Number(percent)) / 100));

interface Scenario {
	/** How the inbox is set. */
	options: Parameters<typeof Rig.start>[1];
	run: (rig: Rig) => Promise<scenarios.Figures>;
}
const { quickly, patiently } = scenarios;
const all: Record<string, Scenario> = {
	failures: { options: quickly, run: scenarios.failures },
	sameAlert: { options: quickly, run: scenarios.sameAlert },
	overlap: {
		options: quickly,
		run: async (rig) => await scenarios.overlap(rig, part(500)),
	},
	kills: {
		options: quickly,
		run: async (rig) => await scenarios.kills(rig, part(1000), 10),
	},
	volume: {
		options: patiently,
		run: async (rig) => await scenarios.volume(rig, part(12_000), 100),
	},
};
const chosen = Object.entries(all).filter(([name]) => named?.split(',').includes(name) ?? true);
const lines = ['| n8n | scenario | figures | minutes |', '| --- | --- | --- | --- |'];
let failed = 0;

/** Runs a scenario, and returns its line of the table. */
async function lineOf(mode: Mode, name: string, { run }: Scenario, rig: Rig): Promise<string> {
	const start = performance.now();
	let figures: string;
	try {
		const results = Object.entries(await run(rig));
		figures = results.map(([what, value]) => `${what}: ${value}`).join(', ');
	} catch (error) {
		failed++;
		figures = `FAILED: ${error instanceof Error ? error.message : String(error)}`;
	}
	const minutes = ((performance.now() - start) / 60_000).toFixed(1);
	return `| ${mode} | ${name} | ${figures} | ${minutes} |`;
}

for (const mode of modes) {
	for (const options of [quickly, patiently]) {
		const fitting = chosen.filter(([, scenario]) => scenario.options === options);
		if (fitting.length === 0) continue;
		const rig = await Rig.start(mode, options);
		try {
			await scenarios.begin(rig);
			for (const [name, scenario] of fitting) {
				const line = await lineOf(mode, name, scenario, rig);
				lines.push(line);
				console.log(line);
			}
		} finally {
			await rig.close();
		}
	}
}
console.log(`\n${lines.join('\n')}\n\n${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
