/**
 * How few requests are refused when a service sends "Retry-After: 0" with a true reset, and how fast the list of offers is
 * with 10,000 of them. Run: npm run bench -- boundary. In real time; the ratios are of this run.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { clientOf, newSites } from '../test/engine/client.mts';

async function serving<Result>(
	answer: RequestListener,
	work: (credential: { baseUrl: string; apiKey: string }) => Promise<Result>,
): Promise<Result> {
	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	try {
		return await work({ baseUrl: `http://127.0.0.1:${port}/api`, apiKey: 'key' });
	} finally {
		server.close();
	}
}

/** 180 items against 60 per window: the share of requests that the service refuses. */
async function refusals(): Promise<void> {
	const perWindow = 60;
	const window = 3000;
	let ends = 0;
	let used = 0;
	let refused = 0;
	let requests = 0;
	const answer: RequestListener = (_request, response) => {
		requests++;
		if (Date.now() >= ends) {
			ends = Date.now() + window;
			used = 0;
		}
		const isAllowed = used < perWindow;
		if (isAllowed) used++;
		else refused++;
		setTimeout(() => {
			response
				.writeHead(isAllowed ? 201 : 429, {
					'x-ratelimit-remaining': String(perWindow - used),
					'x-ratelimit-reset': String(ends),
					...(!isAllowed && { 'retry-after': '0' }),
				})
				.end(JSON.stringify({ id: `site_${requests}`, url: 'https://site.example' }));
		}, 50);
	};
	const items = newSites(180);
	const { error, items: output } = await serving(answer, (credential) =>
		clientOf(credential).create(items),
	);
	if (error || output.length !== items.length) {
		throw new Error(error?.message ?? 'items are missing');
	}
	const share = ((100 * refused) / requests).toFixed(1);
	console.log(
		`180 items, 60 per window, Retry-After: 0: ${refused} of ${requests} refused (${share} %)`,
	);
}

/** From the request to the list that the editor shows, and how much of it is not the request itself. */
async function listSearch(): Promise<void> {
	const offers = Array.from({ length: 10_000 }, (_, index) => ({
		id: `exc_${index}`,
		status: 'pending',
		from_site: 'https://partner.example',
		to_site: 'https://blog.example',
		anchor: 'garden chairs',
		created_at: '2026-07-01T12:00:00Z',
	}));
	const body = JSON.stringify(offers);
	await serving(
		(_request, response) => response.end(body),
		async (credential) => {
			const { search } = clientOf(credential);
			const times: number[] = [];
			for (let round = 0; round < 25; round++) {
				const begun = process.cpuUsage();
				const found = await search('searchPendingOffers', 'exc_99');
				const { user, system } = process.cpuUsage(begun);
				times.push((user + system) / 1000);
				if (found.length !== 111) throw new Error('the list is not what it should be');
			}
			const median = times.sort((one, other) => one - other)[12] ?? 0;
			console.log(
				`list search over 10,000 offers: ${median.toFixed(1)} ms of processor time (median; the request and its answer included)`,
			);
		},
	);
}

await refusals();
await listSearch();
process.exit();
