/** Every variant of what the service's description does not show about deliveries. */
import { expect, it } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { begin, secret } from './deliver.mts';

useVirtualTime();

const axes = [
	'signatureEncoding',
	'signatureHeader',
	'signedContent',
	'hmacKey',
	'wrapper',
	'times',
] as const;
it.each(axes.flatMap((axis) => singleVariants(axis)))(
	'$name: each event arrives once',
	async ({ settings }) => {
		const server = await begin();
		const { sandbox } = await testService({
			dialect: settings,
			webhook: { url: server.url, secret },
		});
		const { id } = sandbox.requestOffer();
		sandbox.accept(id);
		sandbox.publish(id);
		sandbox.alert({ exchangeId: id });
		await sandbox.settled();
		const keys = server.executions.flat().map(({ eventKey }) => eventKey as string);
		expect(keys.sort()).toEqual([
			expect.stringMatching(new RegExp(`^exchange\\.accepted:${id}:\\d+$`)),
			expect.stringMatching(new RegExp(`^exchange\\.published:${id}:\\d+$`)),
			`exchange.requested:${id}`,
			expect.stringMatching(new RegExp(`^watchdog\\.alert:${id}:`)),
		]);
		expect(server.failures).toEqual([]);
	},
);
