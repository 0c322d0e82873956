/** Resources that live as long as a test or a file of tests. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, onTestFinished } from 'vitest';

/** Creates an empty folder. */
export function temporaryFolder(onFinished: (end: () => void) => void = onTestFinished): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'backlink-exchange-'));
	onFinished(() => {
		rmSync(folder, { recursive: true, force: true });
	});
	return folder;
}

/** Creates an empty folder for all tests of a file. */
export function sharedFolder(): string {
	return temporaryFolder(afterAll);
}

/**
 * Lets the server listen on a free port.
 *
 * @returns the port
 */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
	server.listen(0, host);
	await once(server, 'listening');
	onTestFinished(() => {
		server.close();
		(server as Partial<HttpServer>).closeAllConnections?.();
	});
	return (server.address() as AddressInfo).port;
}
