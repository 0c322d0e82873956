/** The event inbox in a real n8n at length; prints a table for docs/event-inbox.md: npm run test:inbox [-- single|queue [percent]] */

import { type Mode, Rig } from './rig.mts';
import * as scenarios from './scenarios.mts';

const [only, percent = '100'] = process.argv.slice(2);
const modes: Mode[] = only === 'single' || only === 'queue' ? [only] : ['single', 'queue'];
const part = (count: number) => Math.max(10, Math.round((count * Number(percent)) / 100));
const lines = ['| n8n | what | figures | minutes |', '| --- | --- | --- | --- |'];
let failed = 0;

async function run(
	mode: Mode,
	what: string,
	scenario: () => Promise<scenarios.Figures>,
): Promise<void> {
	const start = performance.now();
	let figures: string;
	try {
		const results = Object.entries(await scenario());
		figures = results.map(([name, value]) => `${name}: ${value}`).join(', ');
	} catch (error) {
		failed++;
		figures = `FAILED: ${error instanceof Error ? error.message : String(error)}`;
	}
	const minutes = ((performance.now() - start) / 60_000).toFixed(1);
	lines.push(`| ${mode} | ${what} | ${figures} | ${minutes} |`);
	console.log(lines.at(-1));
}

for (const mode of modes) {
	const rig = await Rig.start(mode, scenarios.quickly);
	try {
		await scenarios.begin(rig);
		await run(mode, 'called workflow fails', async () => await scenarios.failures(rig));
		await run(mode, 'same alert', async () => await scenarios.sameAlert(rig));
		await run(mode, 'overlap', async () => await scenarios.overlap(rig, part(500)));
		await run(mode, 'kills', async () => await scenarios.kills(rig, part(1000), 10));
		await run(mode, 'volume', async () => await scenarios.volume(rig, part(12_000), 100));
	} finally {
		await rig.close();
	}
}
console.log(`\n${lines.join('\n')}\n${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
