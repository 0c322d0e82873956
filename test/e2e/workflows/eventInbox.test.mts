/** The event inbox as somebody tries it out in the editor, before anything is chosen in its Settings. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { output } from './editor.mts';
import { startWorld, type World } from './world.mts';

let world: World;

beforeAll(async () => {
	world = await startWorld({ seed: 'demo' });
});

afterAll(async () => {
	await world.close();
});

const polling = 'What was missed, by polling';

it.each([
	['as it comes', undefined],
	['with events that are given out once only', { repeatEvents: false }],
])('executed from the polling trigger %s, it writes the event down, once', async (_, options) => {
	world.sandbox.alert();
	const workflow = await world.editor.importWorkflow('event-inbox');
	const { nodes, connections } = await workflow.read();
	const trigger = nodes.find(({ name }) => name === polling);
	expect(trigger?.parameters.options).toEqual({ repeatEvents: true });
	if (trigger && options) trigger.parameters.options = options;
	await workflow.change({ nodes, connections });
	const states: unknown[] = [];
	for (let time = 0; time < 2; time++) {
		const execution = await workflow.execute(polling);
		expect(execution.error).toBeUndefined();
		states.push(...output(execution, 'Cross off').map(({ state }) => state));
	}
	expect(states).toEqual(['no workflow', 'repeated']);
});

it('executed from the clock, it has nothing to do', async () => {
	const workflow = await world.editor.importWorkflow('event-inbox');
	const execution = await workflow.execute('Every 5 minutes');
	expect(execution.error).toBeUndefined();
});
