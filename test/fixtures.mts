/** What a test, or a file of tests, has until it ends. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, onTestFinished } from 'vitest';

/** An empty folder. */
export function temporaryFolder(onFinished: (end: () => void) => void = onTestFinished): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'backlink-exchange-'));
	onFinished(() => {
		rmSync(folder, { recursive: true, force: true });
	});
	return folder;
}

/** An empty folder for all tests of a file. */
export function sharedFolder(): string {
	return temporaryFolder(afterAll);
}

/** The free port that the server listens on from now on. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
	server.listen(0, host);
	await once(server, 'listening');
	onTestFinished(() => {
		server.close();
		(server as Partial<HttpServer>).closeAllConnections?.();
	});
	return (server.address() as AddressInfo).port;
}
