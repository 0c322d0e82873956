/** `npm run test:long -- chaos`: at least 10,000 nonsensical answers for each endpoint; `npm run test:long -- chaos 500 7` for 500 with another seed. */
// n8n logs each error of a node, and there are tens of thousands here. Set before n8n is loaded.
process.env.N8N_LOG_LEVEL = 'silent';
const { VirtualClock } = await import('../engine/clock.mts');
const { meetNonsense, targets } = await import('./chaos.mts');

const answers = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? 1);

new VirtualClock(Date.now()).install();
let contradictions = 0;
for (const target of targets) {
	const result = await meetNonsense(target, answers, seed);
	contradictions += result.contradictions.length;
	console.log(
		`${target.endpoint.padEnd(36)} ${result.answers} answers, ${result.noticed} noticed, ${result.contradictions.length} contradictions`,
	);
	for (const contradiction of result.contradictions.slice(0, 20)) console.log(`  ${contradiction}`);
}
console.log(`${contradictions} contradictions`);
process.exit(contradictions === 0 ? 0 : 1);
