/** Kills n8n after a node of a workflow, and starts it again an hour later. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { expect } from 'vitest';

import type { WorkflowFile } from '../../../playground/n8n/workflowFiles.mts';
import type { World } from './world.mts';

export interface Trap {
	/** The workflow with the trap behind this node, in the place of all that comes after it. */
	behind: (node: string, workflow: WorkflowFile) => WorkflowFile;
	/** Kills n8n now. */
	spring: () => void;
	/** Waits until n8n is dead, and starts it again an hour later. */
	restart: () => Promise<void>;
	close: () => void;
}

/** A request that reaches the trap kills n8n, and is never answered. */
export async function setTrap(world: World): Promise<Trap> {
	let killing: Promise<void> | undefined;
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
		behind: (node, workflow) => {
			const trapNode = {
				id: crypto.randomUUID(),
				name: 'Trap',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				position: [0, 800],
				parameters: { url: `http://127.0.0.1:${port}/`, options: {} },
			};
			const outputs = workflow.connections[node]?.main ?? [[]];
			const toTrap = () => [{ node: 'Trap', type: 'main', index: 0 }];
			return {
				...workflow,
				nodes: [...workflow.nodes, trapNode],
				connections: { ...workflow.connections, [node]: { main: outputs.map(toTrap) } },
			};
		},
		restart: async () => {
			await expect.poll(() => killing !== undefined, { timeout: 60_000 }).toBe(true);
			await killing;
			killing = undefined;
			anHourLater(world);
			await world.n8n.start();
			await world.editor.logIn();
		},
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}

/** Makes what is in the outbox an hour older; n8n must not be running. */
function anHourLater(world: World): void {
	const database = new DatabaseSync(join(world.n8n.userFolder, '.n8n', 'database.sqlite'));
	const [table] = database
		.prepare("SELECT id FROM data_table WHERE name = 'Backlink Exchange outbox'")
		.all();
	const earlier = (column: string) =>
		`${column} = strftime('%Y-%m-%d %H:%M:%f', ${column}, '-1 hour')`;
	database.exec(
		`UPDATE "data_table_user_${String(table?.id)}" SET ${earlier('createdAt')}, ${earlier('claimedAt')}`,
	);
	database.close();
}
