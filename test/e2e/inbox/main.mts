/**
 * The event inbox in a real n8n at length; prints the table of docs/event-inbox.md:
 * npm run test:inbox [-- single|queue|both [percent of the usual numbers [scenario,…]]]
 */
import { type Mode, Rig } from './rig.mts';
import * as scenarios from './scenarios.mts';

const [only = 'both', percent = '100', named] = process.argv.slice(2);
const modes: Mode[] = only === 'single' || only === 'queue' ? [only] : ['single', 'queue'];
const part = (count: number) => Math.max(10, Math.round((count * Number(percent)) / 100));

type Scenario = (rig: Rig) => Promise<scenarios.Figures>;
const all: Record<string, Scenario> = {
	failures: scenarios.failures,
	sameAlert: scenarios.sameAlert,
	overlap: async (rig) => await scenarios.overlap(rig, part(500)),
	kills: async (rig) => await scenarios.kills(rig, part(1000), 10),
	volume: async (rig) => await scenarios.volume(rig, part(12_000), 100),
};
const chosen = named?.split(',') ?? Object.keys(all);
const lines = ['| n8n | scenario | figures | minutes |', '| --- | --- | --- | --- |'];
let failed = 0;

for (const mode of modes) {
	const rig = await Rig.start(mode, scenarios.quickly);
	try {
		await scenarios.begin(rig);
		for (const [name, scenario] of Object.entries(all)) {
			if (!chosen.includes(name)) continue;
			const start = performance.now();
			let figures: string;
			try {
				const results = Object.entries(await scenario(rig));
				figures = results.map(([what, value]) => `${what}: ${value}`).join(', ');
			} catch (error) {
				failed++;
				figures = `FAILED: ${error instanceof Error ? error.message : String(error)}`;
			}
			const minutes = ((performance.now() - start) / 60_000).toFixed(1);
			lines.push(`| ${mode} | ${name} | ${figures} | ${minutes} |`);
			console.log(lines.at(-1));
		}
	} finally {
		await rig.close();
	}
}
console.log(`\n${lines.join('\n')}\n\n${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
