import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

import { getMailPort } from '../../mail/mailServer.mts';
import { InstallationError } from './command.mts';

/**
 * Returns a port of 127.0.0.1 that is free at the moment, as is the next one, for emails.
 *
 * It's below the ports that systems give to programs that ask for any, so that none of them takes
 * it before it's used.
 */
export async function findFreePort(): Promise<number> {
	for (;;) {
		const port = randomInt(10_000, 30_000);
		const checks = await Promise.allSettled([listenOnce(port), listenOnce(getMailPort(port))]);
		if (checks.every(({ status }) => status === 'fulfilled')) return port;
	}
}

/** @throws {InstallationError} if the port can't be used, with the flag that chooses another */
export async function requireFreePort(port: number, user: string, flag: string): Promise<void> {
	try {
		await listenOnce(port);
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? error.code : undefined;
		const command = `npm start -- ${flag} ${port < 65_535 ? port + 1 : 5678}`;
		if (code === 'EACCES') {
			throw new InstallationError(
				`The system reserves port ${port}, so ${user} can't use it. Choose another port: ${command}`,
			);
		}
		if (code !== 'EADDRINUSE') throw error;
		throw new InstallationError(
			`Another program uses port ${port}, which ${user} needs. Stop that program, or choose another port: ${command}`,
		);
	}
}

async function listenOnce(port: number): Promise<void> {
	const server = createServer();
	server.listen({ host: '127.0.0.1', port, exclusive: true });
	await once(server, 'listening');
	server.close();
	await once(server, 'close');
}
