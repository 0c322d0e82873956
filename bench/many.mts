/**
 * Accept Many in a dry run: processor time, and how long it holds n8n's event loop. Run: npm run bench -- many. The offers come
 * from a server in this process, whose time counts, too; everything is decided anew in each round.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { clientOf } from '../test/engine/client.mts';

const rounds = 5;

const rules = {
	acceptFrom: 'listed',
	allowedPartners: 'partner.example',
	dryRun: true,
	options: {
		refusedAnchorWords: 'casino, betting, loan',
		refusedPartners: 'spam.example',
		minimumBalance: 10,
		maxPerDay: 100_000,
	},
};

/** The most that this thread has worked between two turns of a timer, in milliseconds of the processor: other programs do not count. */
function watchLoop(): { longest: () => number } {
	const worked = () => {
		const { user, system } = process.threadCpuUsage();
		return (user + system) / 1000;
	};
	let last = worked();
	let longest = 0;
	const look = () => {
		longest = Math.max(longest, worked() - last);
		last = worked();
	};
	const timer = setInterval(look, 1);
	return {
		longest: () => {
			clearInterval(timer);
			look();
			return longest;
		},
	};
}

function offers(count: number, name = 'exc') {
	return Array.from({ length: count }, (_, index) => ({
		id: `${name}_${index}`,
		status: 'pending',
		from_site: `https://blog-${index}.partner.example`,
		to_site: 'https://blog.example',
		anchor: `garden chairs ${index}`,
		created_at: '2026-07-01T12:00:00Z',
	}));
}

/**
 * Of a case, in milliseconds: the median of the processor's, and the longest of all rounds.
 * @param remembered how many offers this process has accepted before, which no list shows any more
 */
async function measure(
	count: number,
	maxAccepts: number,
	remembered: number,
): Promise<[number, number]> {
	let list = JSON.stringify({ exchanges: offers(remembered, 'old') });
	const server = createServer(({ url = '' }, response) => {
		response.setHeader('content-type', 'application/json');
		const isPart = url.includes('status=') && !url.includes('status=pending');
		const [, accepted] = /exchanges\/(\w+)\/accept/.exec(url) ?? [];
		if (url.includes('/credits/')) response.end('{"balance":1000000}');
		else if (accepted !== undefined) response.end(`{"id":"${accepted}","status":"accepted"}`);
		else response.end(isPart ? '{"exchanges":[]}' : list);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const { acceptMany } = clientOf({ baseUrl: `http://127.0.0.1:${port}/api`, apiKey: 'key' });
	await acceptMany({ options: { maxAccepts: 100_000 } });
	list = JSON.stringify({ exchanges: offers(count) });
	const times: number[] = [];
	const held: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const loop = watchLoop();
		const begun = process.cpuUsage();
		const settings = { ...rules, options: { ...rules.options, maxAccepts } };
		const { outcomes, error } = await acceptMany(settings, { mode: 'trigger', nodeId: `${round}` });
		const { user, system } = process.cpuUsage(begun);
		times.push((user + system) / 1000);
		held.push(loop.longest());
		const accepted = outcomes.filter((outcome) => outcome === 'wouldAccept').length;
		// What was accepted less than a minute ago may still show in the balance: until then the floor lets nothing through.
		const isAll = accepted === Math.min(count, maxAccepts) || remembered > 0;
		if (error || outcomes.length !== count || !isAll) {
			throw error ?? new Error(`not what it should be: ${outcomes.length}, ${accepted}`);
		}
	}
	server.closeAllConnections();
	server.close();
	const median = times.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? NaN;
	return [median, Math.max(...held)];
}

console.log('offers | Max Accepts | remembered | processor, median | event loop held, longest');
for (const [count, maxAccepts, remembered] of [
	[100, 5, 0],
	[100, 100_000, 0],
	[1000, 5, 0],
	[1000, 100_000, 0],
	[10_000, 5, 0],
	[10_000, 100_000, 0],
	[10_000, 100_000, 1000],
] as const) {
	const [processor, held] = await measure(count, maxAccepts, remembered);
	const columns = [
		`${count}`.padStart(6),
		`${maxAccepts}`.padStart(11),
		`${remembered}`.padStart(10),
	];
	const figures = [processor, held].map((value) => `${value.toFixed(0)} ms`);
	console.log([...columns, ...figures].join(' | '));
}
process.exit();
