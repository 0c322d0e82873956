/**
 * Benchmarks the largest inputs of the nodes against the simplest processing of the same data. Run:
 * `npm run bench:largest`.
 */
import { createHmac } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { test } from 'vitest';

import { diffExchanges } from '../../nodes/BacklinkExchangeTrigger/sources/exchanges.ts';
import {
	parseSecret,
	verifySignature,
} from '../../nodes/BacklinkExchangeWebhookTrigger/verifySignature.ts';
import { Exchange } from '../../nodes/shared/api/exchange.ts';
import { createRules } from '../unit/action/createRules.mts';

const ids = Array.from({ length: 10_000 }, (_, index) => `exc_${index}`);
const exchanges: IDataObject[] = ids.map((id, index) => ({
	id,
	from_site: `https://partner-${index}.example/`,
	to_site: 'https://mine.example/',
	anchor: `the best hand grinders of ${index}`,
	status: 'accepted',
	accepted_at: '2026-07-01T12:00:00Z',
}));
const list = JSON.stringify(exchanges);
const parse = (): unknown => JSON.parse(list);

test('a delivery of 1 MB', async ({ bench }) => {
	const body = Buffer.alloc(1_000_000, 'a');
	const sign = () => createHmac('sha256', 'secret').update(body).digest('hex');
	const signed = { body, header: sign() };
	await bench.compare(
		bench('its HMAC', sign),
		bench('verified', () => verifySignature(signed, parseSecret('secret'))),
	);
});

test('10,000 exchanges in a poll', async ({ bench }) => {
	const parseExchanges = () =>
		new Map(exchanges.map((each, index) => [ids[index] ?? '', Exchange.parse([each])]));
	const { known } = diffExchanges(parseExchanges(), {});
	await bench.compare(
		bench('JSON.parse', parse),
		bench('compared', () => diffExchanges(parseExchanges(), known)),
	);
});

// Fewer, because the benchmark runs dozens of rounds, and a blocked process ends after a minute.
test('2,000 offers by rules', async ({ bench }) => {
	const offers = exchanges.slice(0, 2000);
	const offerList = JSON.stringify(offers);
	const blockedPartners = Array.from({ length: 50 }, (_, index) => `blocked-${index}.example`);
	const evaluateRules = createRules({
		acceptFrom: 'listed',
		allowedPartners: 'partner-1.example, partner-2.example',
		blockedAnchorWords: 'casino, betting, loan',
		rules: { blockedPartners: blockedPartners.join() },
	});
	await bench.compare(
		bench('JSON.parse', (): unknown => JSON.parse(offerList)),
		bench('evaluated', () => offers.map(evaluateRules)),
	);
});
