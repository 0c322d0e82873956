/** The check that the ports of `npm start` are free. */
import { createServer } from 'node:net';

import { expect, test } from 'vitest';

import { requireFreePort } from '../../../sandbox/start/n8n/ports.mts';
import { listen } from '../../fixtures.mts';

test.each([
	['is taken', '127.0.0.1'],
	['is taken on all addresses', '0.0.0.0'],
])('suggests the option for another port if a port %s', async (_, host) => {
	const port = await listen(createServer(), host);
	await expect(requireFreePort(port, 'n8n', '--n8n-port')).rejects.toThrow(
		new RegExp(`port ${port}, .+ --n8n-port ${port + 1}$`),
	);
});
