/** What is shared of what was read, and how long it is held. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, test } from 'vitest';

import { type Reader, type ReadOutcome, Reads } from '../../../../nodes/shared/service/reads.ts';
import { steadyNow } from '../../../../nodes/shared/time.ts';
import { useVirtualTime } from '../../../engine/virtualTime.mts';
import { answered } from './answered.mts';

const time = useVirtualTime();
const anybody: Reader = { since: 0, patience: '90/30', signal: undefined };

/** Reads an address, and says whether the service was asked. */
async function isAsked(
	reads: Reads,
	url: string,
	reader: Partial<Reader> = {},
	outcome: ReadOutcome | Promise<ReadOutcome> = answered(),
): Promise<boolean> {
	let asked = false;
	await reads.read(url, { ...anybody, ...reader }, async () => {
		asked = true;
		return await outcome;
	});
	return asked;
}

test('an answer is freed when its time is over, although nobody asks any more', async () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc') as () => void;
	const reads = Reads.of('freed');
	const held = await (async () => {
		const json = [{ id: 'exc_1' }];
		await isAsked(reads, 'x', { for: 50_000 }, answered({ json }));
		return new WeakRef(json);
	})();
	const isHeld = async () => {
		await new Promise(setImmediate);
		collect();
		return held.deref() !== undefined;
	};
	await time.wait(49_000);
	expect(await isHeld()).toBe(true);
	await time.wait(2000);
	expect(await isHeld()).toBe(false);
	expect(Reads.of('freed')).not.toBe(reads);
});

test('a timer of an earlier answer does not free a later one', async () => {
	const reads = new Reads();
	await isAsked(reads, 'x', { for: 50_000 });
	await time.wait(30_000);
	await isAsked(reads, 'x', { for: 50_000, since: Infinity });
	await time.wait(30_000);
	expect(await isAsked(reads, 'x')).toBe(false);
});

test('of more than 32 MB the oldest are forgotten; one alone stays, however large it is', async () => {
	const reads = new Reads();
	const megabytes = (count: number) => answered({ size: count * 1024 * 1024 });
	await isAsked(reads, 'a', {}, megabytes(15));
	await isAsked(reads, 'b', {}, megabytes(15));
	expect(await isAsked(reads, 'a')).toBe(false);
	await isAsked(reads, 'c', {}, megabytes(15));
	expect(await isAsked(reads, 'b')).toBe(false);
	expect(await isAsked(reads, 'c')).toBe(false);
	expect(await isAsked(reads, 'a')).toBe(true);
	// One that is read again is the latest.
	await isAsked(reads, 'b', { since: Infinity }, megabytes(15));
	await isAsked(reads, 'e', {}, megabytes(15));
	expect(await isAsked(reads, 'b')).toBe(false);
	await isAsked(reads, 'd', {}, megabytes(50));
	expect(await isAsked(reads, 'd')).toBe(false);
	expect(await isAsked(reads, 'e')).toBe(true);
});

test('a listener is not given the same answer twice, and others are', async () => {
	const reads = new Reads();
	expect(await isAsked(reads, 'x', { listener: 'one' })).toBe(true);
	expect(await isAsked(reads, 'x', { listener: 'one' })).toBe(true);
	expect(await isAsked(reads, 'x', { listener: 'other' })).toBe(false);
	expect(await isAsked(reads, 'x', {})).toBe(false);
	expect(await isAsked(reads, 'x', { listener: 'other' })).toBe(true);
	expect(await isAsked(reads, 'x', { listener: 'one' })).toBe(false);
});

test('only those who would wait as long wait for the same request, and share what came to nothing', async () => {
	const reads = new Reads();
	const slow = Promise.withResolvers<ReadOutcome>();
	const first = isAsked(reads, 'x', {}, slow.promise);
	expect(await isAsked(reads, 'x', { patience: '5/15' }, answered({ statusCode: 500 }))).toBe(true);
	expect(await isAsked(reads, 'x', { patience: '5/15' })).toBe(false);
	expect(await isAsked(reads, 'x')).toBe(true);
	expect(await isAsked(reads, 'x', { patience: '5/15' })).toBe(false);
	slow.resolve(answered());
	await first;
});

test.each<[string, ReadOutcome, atOnce: boolean, later: boolean]>([
	['200', answered(), false, false],
	['299', answered({ statusCode: 299 }), false, false],
	['199', answered({ statusCode: 199 }), false, true],
	['300', answered({ statusCode: 300 }), false, true],
	['404', answered({ statusCode: 404 }), false, true],
	['200 without JSON', answered({ json: undefined }), false, true],
	['none', { kind: 'unreachable', url: '', error: { code: '', neverSent: true } }, false, true],
	['the limit', { kind: 'limited' } as ReadOutcome, true, true],
])(
	'an answer of use is not asked for again, any other after five seconds, and one that the limit refused at once: %s',
	async (_, outcome, atOnce, later) => {
		const reads = new Reads();
		await isAsked(reads, 'x', {}, outcome);
		await time.wait(4900);
		expect(await isAsked(reads, 'x', {}, outcome)).toBe(atOnce);
		await time.wait(200);
		expect(await isAsked(reads, 'x')).toBe(later);
	},
);

test('who asks again later anyway is content for so long with what another such reader could not read', async () => {
	const reads = new Reads();
	const outcome = answered({ statusCode: 503 });
	const later = { patience: 'later', uselessFor: 50_000 };
	await isAsked(reads, 'x', later, outcome);
	await time.wait(49_900);
	expect(await isAsked(reads, 'x', later)).toBe(false);
	await time.wait(200);
	expect(await isAsked(reads, 'x', later, outcome)).toBe(true);
	expect(await isAsked(reads, 'x', {}, outcome)).toBe(true);
});

test('what was forgotten while it was read is given to those who wait, and to nobody else', async () => {
	const reads = new Reads();
	const slow = Promise.withResolvers<ReadOutcome>();
	const waiting = [isAsked(reads, 'x', {}, slow.promise), isAsked(reads, 'x')];
	reads.forget();
	slow.resolve(answered());
	expect(await Promise.all(waiting)).toEqual([true, false]);
	expect(await isAsked(reads, 'x')).toBe(true);
});

test('an answer shows nothing that happened after its question, however late it came', async () => {
	const reads = new Reads();
	const slow = Promise.withResolvers<ReadOutcome>();
	const answer = answered();
	const asking = isAsked(reads, 'x', {}, slow.promise);
	await time.wait(10_000);
	const happened = steadyNow();
	await time.wait(10_000);
	slow.resolve(answer);
	await asking;
	expect(await isAsked(reads, 'x')).toBe(false);
	expect(await isAsked(reads, 'x', { since: happened })).toBe(true);
});

test('how long an answer is good enough counts from when it came', async () => {
	const reads = new Reads();
	const slow = Promise.withResolvers<ReadOutcome>();
	const asking = isAsked(reads, 'x', {}, slow.promise);
	await time.wait(20_000);
	const waiting = isAsked(reads, 'x', { for: 5000 });
	slow.resolve(answered());
	expect(await Promise.all([asking, waiting])).toEqual([true, false]);
	await time.wait(4900);
	expect(await isAsked(reads, 'x', { for: 5000 })).toBe(false);
	await time.wait(200);
	expect(await isAsked(reads, 'x', { for: 5000 })).toBe(true);
});

test('only what an address was asked for until a moment is forgotten', async () => {
	const reads = new Reads();
	const askedAt = steadyNow();
	for (const url of ['x', 'y']) {
		const late = answered({ askedAt });
		await isAsked(
			reads,
			url,
			{},
			time.wait(1000).then(() => late),
		);
	}
	reads.forget('x', askedAt - 1);
	expect(await isAsked(reads, 'x')).toBe(false);
	reads.forget('x', askedAt);
	expect(await isAsked(reads, 'y')).toBe(false);
	expect(await isAsked(reads, 'x')).toBe(true);
});
