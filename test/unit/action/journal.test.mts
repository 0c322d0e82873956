/** What is remembered of the requests for an offer, and what may be sent because of it. */
import type { IExecuteFunctions } from 'n8n-workflow';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import type { Journal } from '../../../nodes/BacklinkExchange/resources/exchange/accept/journal.ts';
import type { ServiceConnection } from '../../../nodes/shared/service/connection.ts';

const day = 24 * 60 * 60_000;
const minute = 60_000;

/** As a process has it that has just started: nothing is remembered. */
let module: typeof import('../../../nodes/BacklinkExchange/resources/exchange/accept/journal.ts');

beforeEach(async () => {
	vi.resetModules();
	module = await import('../../../nodes/BacklinkExchange/resources/exchange/accept/journal.ts');
	vi.useFakeTimers({ now: day });
});
afterEach(() => {
	vi.useRealTimers();
});

/** What a request was decided by is as current as it can be. */
const current = () => true;

/** The journal of an execution of its own. n8n keeps nothing of a workflow without an ID. */
function newJournal(account = 'account', ofNode = {}, node = 'node'): Journal {
	const context = {
		getContext: () => ofNode,
		getWorkflow: () => ({ id: undefined }),
		getNode: () => ({ id: node }),
		helpers: { checkProcessedAndRecord: () => Promise.reject(new Error('No workflow')) },
	} as unknown as IExecuteFunctions;
	const connection = { accountKey: (name: string) => `${account}${name}`, signal: undefined };
	return new module.Journal(context, connection as unknown as ServiceConnection);
}

const hasSent = (journal: Journal, key: string) => journal.attempts.sent(key) > 0;

test('in doubt since it ended: what a request waits for does not count as time that has passed', async () => {
	const journal = newJournal();
	await journal.open('slow', current);
	vi.advanceTimersByTime(day + minute - Date.now());
	journal.ended('slow');
	expect(journal.doubtSince('slow')).toBe(day + minute);
	expect(journal.doubts()).toEqual([day + minute]);
	vi.advanceTimersByTime(day);
	expect(journal.doubts()).toEqual([]);
});

test('an execution takes its part along to another process', async () => {
	const ofNode = {};
	await newJournal('here', ofNode).open('moved', current);
	const there = newJournal('there', structuredClone(ofNode));
	expect(hasSent(there, 'moved')).toBe(true);
	expect(there.attempts.countOthers('other', { dryRun: false })).toBe(1);
});

test('an offer that an execution has only looked at leaves nothing in its data', async () => {
	const ofNode = {};
	const journal = newJournal('account', ofNode);
	journal.attempts.of('looked');
	journal.accepted('looked');
	await journal.askedFor(['looked']);
	expect(ofNode).toEqual({ accepts: {} });
});

test('what was seen as accepted is fresh for 24 hours, and no newer than when it was seen', () => {
	const journal = newJournal();
	journal.accepted('seen', { anchor: 'x'.repeat(5000) });
	const entry = journal.recall('seen');
	// Too large to be kept.
	expect(entry?.record).toBeUndefined();
	vi.advanceTimersByTime(2 * day - 1 - Date.now());
	expect(entry && module.isFresh(entry)).toBe(true);
	vi.advanceTimersByTime(2 * day - Date.now());
	expect(entry && module.isFresh(entry)).toBe(false);
});

test('what a request was decided by may be outdated before its claim is written, or after: it is not sent', async () => {
	const journal = newJournal();
	for (const isCurrentUntil of [0, 1]) {
		let checks = 0;
		expect(await journal.open('late', () => ++checks <= isCurrentUntil)).toBe('outdated');
		expect(hasSent(journal, 'late')).toBe(false);
		expect(journal.doubtSince('late')).toBeUndefined();
	}
});

test('this node has asked for an offer, whichever execution did; another node of the process has not', async () => {
	await newJournal().open('asked', current);
	const isAsked = async (node: string) =>
		(await newJournal('account', {}, node).askedFor(['asked'])).has('asked');
	expect([await isAsked('node'), await isAsked('other')]).toEqual([true, false]);
});

test('a dry run counts for dry runs alone', async () => {
	const journal = newJournal();
	journal.attempts.keep('dry', { wouldAccept: true });
	await journal.open('real', current);
	expect(journal.attempts.countOthers('x', { dryRun: false })).toBe(1);
	expect(journal.attempts.countOthers('x', { dryRun: true })).toBe(2);
	expect(journal.attempts.countOthers('real', { dryRun: false })).toBe(0);
	expect(journal.attempts.countOthers('dry', { dryRun: true })).toBe(1);
	// What was not sent after all is no attempt, and what is sent in the end is one.
	await journal.open('back', current);
	await journal.takeBack('back');
	await journal.open('dry', current);
	expect(journal.attempts.countOthers('x', { dryRun: true })).toBe(2);
});

test('an accept before which no balance was read is in doubt for a minute, as to its price', async () => {
	const journal = newJournal();
	await journal.open('unread', current);
	journal.ended('unread');
	journal.accepted('unread');
	expect(journal.doubts()).toEqual([day]);
	vi.advanceTimersByTime(day + minute - Date.now());
	expect(journal.doubts()).toEqual([]);
});

test('bounded: the oldest that is not in doubt is forgotten; full of doubts of a day, nothing more is sent', async () => {
	const journal = newJournal();
	vi.advanceTimersByTime(10 * day - Date.now());
	journal.accepted('settled');
	const openAndEnd = async (key: string) => {
		await journal.open(key, current);
		journal.ended(key);
	};
	for (let count = 1; count < 10_000; count++) await openAndEnd(`doubt ${count}`);
	expect(await journal.open('one more', current)).toBe('open');
	expect(journal.recall('settled')).toBeUndefined();
	expect(await journal.open('too many', current)).toBe('full');
	expect(journal.recall('too many')).toBeUndefined();
	// One that is written down already may be sent again.
	expect(await journal.open('doubt 1', current)).toBe('open');
	vi.advanceTimersByTime(11 * day - Date.now());
	expect(await journal.open('a day later', current)).toBe('open');
	expect(journal.recall('doubt 2')).toBeUndefined();
});
