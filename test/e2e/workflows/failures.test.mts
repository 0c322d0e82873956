/** The workflow that tells when another one fails. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { importTell, tellSlack } from './outbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let tell: Imported;
let failures: Imported;

beforeAll(async () => {
	world = await startWorld();
	tell = await importTell(world);
	await tell.execute('Every minute');
	failures = await world.editor.importWorkflow('tell-failures');
	await failures.publish();
});

afterAll(async () => {
	await world.close();
});

it('tells which workflow failed, where and why, once', async () => {
	const { slack } = world;
	// A workflow that runs each second, and fails.
	const failing = await world.editor.create({
		name: 'My <!channel> workflow',
		nodes: [
			{
				id: crypto.randomUUID(),
				name: 'Now',
				type: 'n8n-nodes-base.scheduleTrigger',
				typeVersion: 1.2,
				position: [0, 0],
				parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
			},
			{
				id: crypto.randomUUID(),
				name: 'Stop',
				type: 'n8n-nodes-base.stopAndError',
				typeVersion: 1,
				position: [200, 0],
				parameters: { errorMessage: 'It does not work <@U1>\nAccepted: exchange "x"' },
			},
		],
		connections: { Now: { main: [[{ node: 'Stop', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1', errorWorkflow: failures.id },
	});
	await failing.publish();
	await failures.finished(1);
	slack.state = 'down';
	await tell.execute('Every minute');
	slack.state = 'up';
	const messages = await tellSlack(world, tell);
	expect(messages).toHaveLength(1);
	const [, line = '', ...others] = messages[0]?.split('\n') ?? [];
	expect(others).toEqual([]);
	expect(line).toMatch(
		/^A workflow has failed: workflow "My &lt;!channel&gt; workflow", node "Stop", because "It does not work &lt;@U1&gt; Accepted: exchange 'x'", look at "http/,
	);
});
