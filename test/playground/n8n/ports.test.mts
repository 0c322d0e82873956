import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

import { expect, it } from 'vitest';

import { findFreePort, requireFreePort } from '../../../playground/n8n/ports.mts';

it('names the flag that chooses another port when a port is taken', async () => {
	const server = createServer();
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	try {
		await expect(requireFreePort(port, 'n8n', '--n8n-port')).rejects.toThrow(
			new RegExp(`Port ${port}, which n8n is to use, is taken by .+ --n8n-port ${port + 1}$`),
		);
	} finally {
		server.close();
	}
});

it('sees a program that listens on all addresses', async () => {
	const server = createServer();
	server.listen(0, '0.0.0.0');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	try {
		await expect(requireFreePort(port, 'n8n', '--n8n-port')).rejects.toThrow('is taken by');
	} finally {
		server.close();
	}
});

it('finds a port that is free', async () => {
	const port = await findFreePort();
	await expect(requireFreePort(port, 'n8n', '--n8n-port')).resolves.toBeUndefined();
});
