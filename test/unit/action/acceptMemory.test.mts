import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import {
	AcceptMemory,
	isRecent,
} from '../../../nodes/BacklinkExchange/resources/exchange/acceptMemory.ts';

const day = 24 * 60 * 60_000;

beforeEach(() => {
	vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
	vi.useRealTimers();
});

test('an outcome is recent for 24 hours, and remembered after them as well', () => {
	const memory = new AcceptMemory();
	memory.posting('unknown');
	memory.accepted('accepted', { id: 'exc_1' });
	memory.declined('declined', undefined);
	const recalled = () => ['unknown', 'accepted', 'declined'].map((key) => memory.recall(key));
	const outcomes = [
		{ state: 'unknown', at: 0 },
		{ state: 'accepted', at: 0, record: { id: 'exc_1' } },
		{ state: 'asked', at: 0 },
	] as const;
	vi.setSystemTime(day - 1);
	expect(recalled()).toEqual(outcomes);
	expect(outcomes.map(isRecent)).toEqual([true, true, true]);
	vi.setSystemTime(day);
	expect(recalled()).toEqual(outcomes);
	expect(outcomes.map(isRecent)).toEqual([false, false, false]);
});

test('a clock that is set back forgets nothing', () => {
	const memory = new AcceptMemory();
	vi.setSystemTime(day);
	memory.posting('unknown');
	vi.setSystemTime(0);
	expect(memory.recall('unknown')?.state).toBe('unknown');
});

test('a request that was declined or never sent does not settle an earlier doubt', () => {
	const memory = new AcceptMemory();
	memory.posting('offer');
	const before = memory.recall('offer');
	for (const settle of ['declined', 'notSent'] as const) {
		memory.posting('offer');
		memory[settle]('offer', before);
		expect(memory.recall('offer')).toEqual({ state: 'unknown', at: 0 });
	}
	memory.posting('other');
	memory.notSent('other', undefined);
	expect(memory.recall('other')).toBeUndefined();
});

test('it is bounded: the oldest settled one goes first, what is unknown stays', () => {
	const memory = new AcceptMemory(3);
	memory.posting('unknown');
	memory.accepted('old');
	memory.accepted('new');
	expect(memory.posting('further')).toBe(true);
	expect(memory.recall('old')).toBeUndefined();
	expect(memory.recall('new')?.state).toBe('accepted');
	expect(memory.recall('unknown')?.state).toBe('unknown');
});

test('full of what is unknown, it lets nothing more be sent, until a day has passed', () => {
	const memory = new AcceptMemory(2);
	memory.posting('one');
	memory.posting('two');
	expect(memory.posting('three')).toBe(false);
	expect(memory.recall('three')).toBeUndefined();
	// One that is remembered already may be sent again.
	expect(memory.posting('one')).toBe(true);
	vi.setSystemTime(day);
	expect(memory.posting('three')).toBe(true);
});

test('a record that is too large is not kept, its outcome is', () => {
	const memory = new AcceptMemory();
	memory.accepted('offer', { anchor: 'x'.repeat(5000) });
	expect(memory.recall('offer')).toEqual({ state: 'accepted', at: 0 });
});
