/** A workflow that was called with the wrong event, or executed without any, says so and does nothing. */
import { describe, expect, it } from 'vitest';

import { runCode } from './codeNode.mts';
import { settingsOf } from './settings.mts';

describe.each([
	['offer-approval', 'exchange.requested'],
	['watchdog-routing', 'watchdog.alert'],
])('%s', (workflow, event) => {
	const start = (item: Record<string, unknown>, outputs = {}) =>
		runCode(workflow, 'Check settings', { input: [{ ...settingsOf(workflow), ...item }], outputs });

	it.each(['exchange.broken', 'other'])('called with %s', (other) => {
		expect(() => start({ event: other, data: { id: 'exc_1' } })).toThrow(
			`This workflow is for the event ${event}, and was called with "${other}". Call another one with it.`,
		);
	});

	it.each([{}, { event: null }, { data: { id: 'exc_1' } }])('executed with %j', (item) => {
		expect(() => start(item)).toThrow(
			`This workflow is for the event ${event}, and was executed without one. Send a test event to its other trigger.`,
		);
	});

	it('with its event, it goes on', () => {
		expect(start({ event, data: { id: 'exc_1', exchange_id: 'exc_1' } })).toHaveLength(1);
	});
});

it('the watchdog routing needs no event in the morning', () => {
	const outputs = { 'Every morning': [[{}]] };
	const input = [settingsOf('watchdog-routing')];
	expect(runCode('watchdog-routing', 'Check settings', { input, outputs })).toHaveLength(1);
});
