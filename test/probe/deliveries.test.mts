/** What `--listen` tells of the sandbox's deliveries, in every form in which the sandbox can send them. */
import { expect, onTestFinished, test } from 'vitest';

import { listen } from '../../probe/listen.mts';
import { type Observation, reportOf } from '../../probe/report.mts';
import { type Dialect, singleVariants } from '../../sandbox/dialects.mts';
import { openSandbox, secret } from '../sandbox/harness.mts';
import { seenBy } from './seenBy.mts';

async function heard(
	dialect: Partial<Dialect>,
	{ ownSecret = secret } = {},
): Promise<Observation[]> {
	const listener = await listen(0, ownSecret, () => undefined);
	onTestFinished(() => listener.close());
	const webhook = { url: `http://127.0.0.1:${listener.port}/`, secret };
	const sandbox = await openSandbox({ dialect, webhook });
	sandbox.requestOffer();
	sandbox.alert();
	await sandbox.settled();
	return listener.observations();
}

const variants = singleVariants().filter(({ setting }) => seenBy[setting] === 'a delivery');

test.each(variants)('$name is found out and is supported', async ({ setting, settings }) => {
	const observations = await heard(settings);
	expect(reportOf(observations).dialect[setting]).toBe(settings[setting]);
	expect(observations.map(({ verdict }) => verdict)).toEqual(observations.map(() => 'supported'));
});

test('repeated deliveries are found out', async () => {
	expect(reportOf(await heard({ delivery: 'repeated' })).dialect.delivery).toBe('repeated');
});

test('with another secret nothing matches, and nothing of the contents is shown', async () => {
	const observations = await heard({}, { ownSecret: 'another secret' });
	const signature = observations.find(({ question }) => question === 'signature');
	expect(signature).toMatchObject({ verdict: 'not supported' });
	expect(signature?.seen).toContain('right secret');
	expect(observations.map(({ question }) => question)).not.toContain('wrapper of the payload');
});
