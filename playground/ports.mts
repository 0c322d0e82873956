import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { runCommand } from '../scripts/command.mjs';
import { InstallationError } from '../scripts/npm.mjs';

async function listenOnce(port: number): Promise<number> {
	const server = createServer();
	server.listen({ host: '127.0.0.1', port, exclusive: true });
	await once(server, 'listening');
	const { port: taken } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return taken;
}

/** A port of 127.0.0.1 that is free at this moment. */
export async function findFreePort(): Promise<number> {
	return await listenOnce(0);
}

/** Who listens on the port, such as "process 1234 (node)"; undefined when the system does not tell. */
async function listenerOn(port: number): Promise<string | undefined> {
	const options = { cwd: '/' };
	try {
		if (process.platform === 'linux') {
			const filter = `sport = :${port}`;
			const { output } = await runCommand('ss', ['-Hltnp', filter], options);
			const found = /\("([^"]+)",pid=(\d+)/.exec(output);
			return found ? `process ${found[2] ?? ''} (${found[1] ?? ''})` : undefined;
		}
		const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
		const { output } = await runCommand('lsof', args, options);
		const found = /^p(\d+)\nc(.+)$/m.exec(output);
		return found ? `process ${found[1] ?? ''} (${found[2] ?? ''})` : undefined;
	} catch {
		return undefined; // neither tool is certain to be there
	}
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
