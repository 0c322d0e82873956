/** Kills n8n (-9) after a node of a workflow. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect } from 'vitest';

import { node, to } from '../nodes.mts';
import type { Imported } from './editor.mts';
import type { TestEnvironment } from './environment.mts';

interface Trap {
	/** Connects the trap after this node of the workflow, replacing all later nodes. */
	connectAfter: (node: string, workflow: Imported) => Promise<void>;
	/** Waits until n8n is dead, starts it again, and removes the trap. */
	restart: () => Promise<void>;
	close: () => void;
}

/**
 * Creates a trap for a test file: a request that reaches the trap kills n8n, and never gets a
 * response.
 */
export function useCrashTrap(world: TestEnvironment): Trap {
	const trap = {} as Trap;
	beforeAll(async () => {
		Object.assign(trap, await setTrap(world));
	});
	afterAll(() => {
		trap.close();
	});
	return trap;
}

async function setTrap(world: TestEnvironment): Promise<Trap> {
	let killing: Promise<void> | undefined;
	let restore = () => Promise.resolve();
	const server = createServer(() => {
		killing ??= world.n8n.kill();
	});
	await new Promise<void>((resolve) => {
		server.listen(0, '127.0.0.1', resolve);
	});
	const { port } = server.address() as AddressInfo;
	return {
		connectAfter: async (name, workflow) => {
			const { nodes, connections } = await workflow.read();
			const url = `http://127.0.0.1:${port}/`;
			const trapNode = node('Trap', 'httpRequest', 4.2, { url, options: {} });
			await workflow.change({
				nodes: [...nodes, trapNode],
				connections: { ...connections, [name]: to('Trap') },
			});
			restore = async () => workflow.change({ nodes, connections });
		},
		restart: async () => {
			await expect.poll(() => killing !== undefined, { timeout: 120_000 }).toBe(true);
			await killing;
			killing = undefined;
			await world.restart();
			await restore();
			restore = () => Promise.resolve();
		},
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
