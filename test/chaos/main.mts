/**
 * `npm run test:long -- chaos`: at least 10,000 nonsensical answers for each endpoint, and then each attack of a hostile service, with
 * 512 MB of memory for n8n's engine and the attacker together; `npm run test:long -- chaos 500 7` for 500 with another seed;
 * `npm run test:long -- chaos attacks nesting` for the attacks alone whose name has that word.
 */
import { spawnSync } from 'node:child_process';

// n8n logs each error of a node, and there are tens of thousands here. Set before n8n is loaded.
process.env.N8N_LOG_LEVEL = 'silent';
const { VirtualClock } = await import('../engine/clock.mts');
const { meetNonsense, targets } = await import('./chaos.mts');
const { attacks, suffer } = await import('./hostileService.mts');

/** In megabytes. */
const memory = 512;
const [what = '10000', ...words] = process.argv.slice(2);
let contradictions = 0;

function report(wrong: readonly string[]): void {
	contradictions += wrong.length;
	for (const each of wrong.slice(0, 20)) console.log(`  ${each}`);
}

if (what === 'attack') {
	new VirtualClock(Date.now()).install();
	for (const name of words) report(await suffer(name));
} else if (what === 'attacks') attack(words[0]);
else {
	new VirtualClock(Date.now()).install();
	for (const target of targets) {
		const result = await meetNonsense(target, Number(what), Number(words[0] ?? 1));
		console.log(
			`${target.endpoint.padEnd(36)} ${result.answers} answers, ${result.noticed} noticed, ${result.contradictions.length} contradictions`,
		);
		report(result.contradictions);
	}
	attack();
}
if (what !== 'attack') console.log(`${contradictions} contradictions`);
process.exit(contradictions === 0 ? 0 : 1);

/** In processes with so much memory: a large attack in one of its own, all others in one. */
function attack(word = ''): void {
	const names = Object.keys(attacks).filter((name) => name.includes(word));
	const large = names.filter((name) => name.startsWith('size: '));
	const others = names.filter((name) => !large.includes(name));
	for (const each of [...large.map((name) => [name]), others]) {
		if (each.length === 0) continue;
		const { status } = spawnSync(
			process.execPath,
			[`--max-old-space-size=${memory}`, import.meta.filename, 'attack', ...each],
			{ stdio: ['ignore', 'inherit', 'ignore'] },
		);
		const title = each.length === 1 ? (each[0] ?? '') : `${each.length} other attacks`;
		const end = status === null || status > 1 ? 'ended the process' : 'were not withstood';
		console.log(`${title.padEnd(50)} ${status === 0 ? 'withstood' : end}`);
		if (status !== 0) contradictions++;
	}
}
