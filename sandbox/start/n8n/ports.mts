import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { basename } from 'node:path';

import { InstallationError, runCommand } from './command.mts';

/** A port of 127.0.0.1 that is free at this moment. */
export async function findFreePort(): Promise<number> {
	return await listenOnce(0);
}

/** @throws InstallationError that says who has the port and which flag chooses another */
export async function requireFreePort(port: number, user: string, flag: string): Promise<void> {
	try {
		await listenOnce(port);
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? error.code : undefined;
		const another = `choose another port: npm start -- ${flag} ${port < 65_535 ? port + 1 : 5678}`;
		if (code === 'EACCES') {
			throw new InstallationError(
				`Port ${port}, which ${user} is to use, is reserved by the system. Please ${another}`,
			);
		}
		if (code !== 'EADDRINUSE') throw error;
		const holder = (await listenerOn(port)) ?? 'another program';
		throw new InstallationError(
			`Port ${port}, which ${user} is to use, is taken by ${holder}. Stop that, or ${another}`,
		);
	}
}

async function listenOnce(port: number): Promise<number> {
	const server = createServer();
	server.listen({ host: '127.0.0.1', port, exclusive: true });
	await once(server, 'listening');
	const { port: taken } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return taken;
}

/** Who listens on the port, such as `process 1234 (node server.js)`; undefined when the system does not say. */
async function listenerOn(port: number): Promise<string | undefined> {
	const run = async (command: string, args: string[]): Promise<string> =>
		(await runCommand(command, args, { cwd: '/' })).output;
	try {
		const processId =
			process.platform === 'linux'
				? /pid=(\d+)/.exec(await run('ss', ['-Hltnp', `sport = :${port}`]))?.[1]
				: /^p(\d+)$/m.exec(await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fp']))?.[1];
		if (processId === undefined) return undefined;
		// Two words of its command line say enough; what follows may be secret.
		const words = (await run('ps', ['-o', 'args=', '-p', processId])).trim().split(/\s+/, 2);
		return `process ${processId} (${words.map((word) => basename(word)).join(' ')})`;
	} catch {
		return undefined; // none of these tools is certain to be there
	}
}
