/** Kills n8n (-9) after a node of a workflow. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'vitest';

import type { Imported } from './editor.mts';
import type { World } from './world.mts';

export interface Trap {
	/** Puts the trap behind this node of the workflow, in the place of all that comes after it. */
	behind: (node: string, workflow: Imported) => Promise<void>;
	/** Kills n8n now. */
	spring: () => void;
	/** Waits until n8n is dead, starts it again, and takes the trap out. */
	restart: () => Promise<void>;
	close: () => void;
}

/** A request that reaches the trap kills n8n, and is never answered. */
export async function setTrap(world: World): Promise<Trap> {
	let killing: Promise<void> | undefined;
	let restore = () => Promise.resolve();
	const spring = () => {
		killing ??= world.n8n.kill();
	};
	const server = createServer(spring);
	await new Promise<void>((resolve) => {
		server.listen(0, '127.0.0.1', resolve);
	});
	const { port } = server.address() as AddressInfo;
	return {
		spring,
		behind: async (node, workflow) => {
			const { nodes, connections } = await workflow.read();
			const trapNode = {
				id: crypto.randomUUID(),
				name: 'Trap',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				position: [0, 800],
				parameters: { url: `http://127.0.0.1:${port}/`, options: {} },
			};
			const toTrap = { main: [[{ node: 'Trap', type: 'main', index: 0 }]] };
			await workflow.change({
				nodes: [...nodes, trapNode],
				connections: { ...connections, [node]: toTrap },
			});
			restore = async () => workflow.change({ nodes, connections });
		},
		restart: async () => {
			await expect.poll(() => killing !== undefined, { timeout: 120_000 }).toBe(true);
			await killing;
			killing = undefined;
			await world.n8n.start();
			await world.editor.logIn();
			await restore();
			restore = () => Promise.resolve();
		},
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}
