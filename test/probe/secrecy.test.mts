/** A report is made to be pasted into a public issue: nothing of the account may be in it. */
import { createServer } from 'node:http';

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { askAll } from '../../probe/ask.mts';
import { Client } from '../../probe/client.mts';
import { lineOf, reportOf } from '../../probe/report.mts';
import { ProbeStopped } from '../../probe/stopped.mts';
import { listen } from '../untilTheTestEnds.mts';

const marker = 'secret7';
/** Any JSON; texts and keys carry the marker, as ids, anchors and host names in odd places would. */
const json = fc.jsonValue({ maxDepth: 4 }).map((value) =>
	JSON.stringify(value, (_key, inner: unknown) => {
		if (typeof inner === 'string') return `${marker}${inner}`;
		if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
		return Object.fromEntries(
			Object.entries(inner).map(([name, part]) => [`${marker}.${name}`, part as unknown]),
		);
	}),
);
const knownKeys = ['sites', 'exchanges', 'data', 'events', 'ledger', 'balance', 'error'];
/** With each documented field, some of them as they should be. */
const record = JSON.stringify({
	id: `exc_${marker}`,
	...{ exchange_id: marker, severity: marker, type: marker, detail: marker },
	...{ url: `https://${marker}.example/`, niche: marker, status: marker, anchor: marker },
	...{ from_site: `https://${marker}.example/`, to_site: `site_${marker}` },
	...{ created_at: marker, live_url: `https://x.example/${marker}` },
});
const list = fc
	.record({ key: fc.constantFrom(...knownKeys), json })
	.map(({ key, json: inner }) => `{"${key}":[${inner},${record},${record}]}`);
const body = fc.oneof(
	json,
	list,
	fc.string().map((text) => `${marker}${text}`),
	fc.constant(''),
);
const header = fc.oneof(
	fc.constantFrom(marker, '', '-1', '12', '1e9', 'NaN', `<https://x/${marker}>; rel="next"`),
	fc.string({ unit: 'grapheme-ascii' }),
);
interface Answer {
	status: number;
	body: string;
	headers: Record<string, string>;
}
const answer: fc.Arbitrary<Answer> = fc.record({
	status: fc.constantFrom(200, 200, 200, 201, 204, 400, 401, 403, 404, 418, 500),
	body,
	headers: fc.record({
		'x-ratelimit-reset': header,
		'x-ratelimit-remaining': header,
		link: header,
		age: header,
		'cache-control': header,
		'content-type': fc.constantFrom('application/json', 'text/html', marker),
	}),
});

test('whatever a service answers, the probe ends with a report or a reason, and shows nothing of it, nor the key or the address', async () => {
	const first: Answer = { status: 200, body: '{"sites":[]}', headers: {} };
	let answers = [first];
	let asked = 0;
	const server = createServer((_request, response) => {
		const { status, body: text, headers } = answers[asked++ % answers.length] ?? first;
		try {
			response.writeHead(status, headers).end(text);
		} catch {
			// A header that Node does not send.
			response.writeHead(status).end(text);
		}
	});
	const baseUrl = `http://127.0.0.1:${await listen(server)}/${marker}/api`;
	let reports = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 12 }), async (drawn) => {
			answers = [first, ...drawn];
			asked = 0;
			const printed: string[] = [];
			try {
				const client = new Client(baseUrl, `key-${marker}`, () => undefined);
				const observations = await askAll(client, (each) => printed.push(lineOf(each)));
				printed.push(JSON.stringify(reportOf(observations)));
				reports++;
			} catch (error) {
				expect(error).toBeInstanceOf(ProbeStopped);
				printed.push((error as Error).message);
			}
			expect(printed.join('\n').toLowerCase()).not.toContain(marker);
		}),
		{ numRuns: 300 },
	);
	expect(reports).toBeGreaterThan(100);
});
