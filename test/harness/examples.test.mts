/** The examples of docs/development/writing-tests.md, which this file contains word for word. */
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { acceptEndpoint, acceptRequests } from '../engine/action/acceptFixtures.mts';
import { mockService } from '../engine/mockedService.mts';
import { onlyOffers, setUpAndPoll } from '../engine/polling/setup.mts';
import { setUpWithOffer } from '../engine/service.mts';
import { useVirtualTime } from '../engine/virtualTime.mts';
import { deliver, setUp } from '../engine/webhook/setup.mts';

useVirtualTime();

// Example: an operation
test('Accept sends one request if the service responds after four seconds', async () => {
	const service = await setUpWithOffer({ credits: 100 }, { cost: 10 });
	service.sandbox.addFault({ kind: 'delay-after-commit', ...acceptEndpoint, milliseconds: 4000 });
	const { item } = await service.accept(service.offer);
	expect(item).toMatchObject({ outcome: 'accepted', creditsSpent: 10, balance: 90 });
	expect(acceptRequests(service).length).toBe(1);
});

// Example: a scripted response
test('Get Many explains that the base URL belongs to another API', async () => {
	const { api, run } = mockService();
	api.get('/sites').reply(200, { users: [] });
	const { error } = await run('site', 'getAll');
	expect(error?.description).toContain('received an object with users');
});

// Example: a poll
test('New Offer fires once for an offer', async () => {
	const { sandbox, poller } = await setUpAndPoll({}, onlyOffers);
	const { id } = sandbox.requestOffer();
	expect(await poller.poll()).toMatchObject([{ event: 'exchange.requested', exchangeId: id }]);
	expect(await poller.poll()).toEqual([]);
});

// Example: a webhook
test('the webhook trigger starts one execution for a delivery', async () => {
	const server = await setUp({ events: ['exchange.accepted'] });
	const body = '{"event":"exchange.accepted","data":{"id":"exc_1"}}';
	expect(await deliver(server, body)).toMatchObject({ status: 200 });
	expect(server.executions).toMatchObject([[{ exchangeId: 'exc_1' }]]);
});
// End of the examples

test('the page has these examples', () => {
	const source = readFileSync(import.meta.filename, 'utf8').split('// End of the examples')[0];
	const examples = (source ?? '').split(/\/\/ Example: .*\n/).slice(1);
	const page = readFileSync('docs/development/writing-tests.md', 'utf8');
	const quoted = Array.from(page.matchAll(/```ts\n([\s\S]*?)```/g), ([, code]) => code?.trim());
	expect(quoted).toEqual(examples.map((code) => code.trim()));
});
