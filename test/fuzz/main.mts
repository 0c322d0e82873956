/**
 * Looks for a forged delivery that gets in, an honest one that does not, an exception, or a verification that takes long.
 * `npm run test:long -- fuzz` runs for an hour; `npm run test:long -- fuzz 5` for five minutes. A counterexample is printed with its seed.
 */
import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import { keysOf, verifySignature } from '../../nodes/BacklinkExchangeTrigger/signature.ts';

const minutes = Number(process.argv[2] ?? 60);
const runsPerRound = 20_000;
/** Far more than the largest input below takes, even on a slow machine. */
const longestMilliseconds = 1000;

const secret = fc
	.oneof(
		fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
		fc.base64String({ minLength: 4, maxLength: 60 }).map((text) => `whsec_${text}`),
	)
	.filter((text) => text.trim() !== '');
const body = fc.uint8Array({ maxLength: 4000 }).map((bytes) => Buffer.from(bytes));
const encoding = fc.constantFrom('hex' as const, 'base64' as const, 'base64url' as const);
const timestamp = fc.option(fc.integer({ min: 1, max: 4e9 }), { nil: undefined });
const noise = fc
	.array(
		fc.oneof(
			fc.constantFrom(
				't=',
				't=1',
				'v1=',
				'v1,',
				'v0=',
				'sha256=',
				',',
				';',
				' ',
				'\t',
				'=',
				'\0',
				'\uFEFF',
			),
			fc.string({ maxLength: 90 }),
			fc.string({ unit: 'binary', maxLength: 90 }),
			fc.constantFrom('0', '9', 'a', 'F').map((digit) => digit.repeat(64)),
			fc.nat(20_000).map((length) => 'a'.repeat(length)),
		),
		{ maxLength: 30 },
	)
	.map((parts) => parts.join(''));

function expectResult(actual: boolean, expected: boolean, what: string): void {
	if (actual !== expected) throw new Error(`${what} is ${actual ? 'accepted' : 'refused'}`);
}

function round(seed: number): void {
	fc.assert(
		fc.property(
			fc.record({
				secret,
				other: secret,
				body,
				encoding,
				timestamp,
				noise,
				bit: fc.nat(),
				nowOffset: fc.integer({ min: -300, max: 300 }),
			}),
			(input) => {
				const started = performance.now();
				const keys = keysOf(input.secret);
				const prefix = input.timestamp === undefined ? '' : `${input.timestamp}.`;
				const signature = createHmac('sha256', input.secret)
					.update(prefix)
					.update(input.body)
					.digest(input.encoding);
				const header =
					input.timestamp === undefined ? signature : `t=${input.timestamp},v1=${signature}`;
				const now = ((input.timestamp ?? 0) + input.nowOffset) * 1000;
				const check = (content: Buffer, text: string, keysToUse = keys) =>
					verifySignature({ body: content, header: text }, keysToUse, { now }) === 'valid';

				expectResult(check(input.body, header), true, 'an honest delivery');
				expectResult(check(input.body, input.noise), false, 'noise');
				expectResult(
					check(Buffer.concat([input.body, Buffer.from(' ')]), header),
					false,
					'a longer body',
				);
				if (input.body.length > 0) {
					const changed = Buffer.from(input.body);
					const position = input.bit % (changed.length * 8);
					changed.writeUInt8(
						changed.readUInt8(position >> 3) ^ (1 << (position & 7)),
						position >> 3,
					);
					expectResult(check(changed, header), false, 'a changed body');
				}
				const isSameKey = input.other.trim() === input.secret.trim();
				// HMAC pads keys with zeros, so a key and the same key with zeros behind it are one.
				const isPadded = /\0$/.test(input.other) || /\0$/.test(input.secret);
				if (!isSameKey && !isPadded) {
					expectResult(check(input.body, header, keysOf(input.other)), false, 'another key');
				}
				const took = performance.now() - started;
				if (took > longestMilliseconds) throw new Error(`it took ${Math.round(took)} ms`);
			},
		),
		{ numRuns: runsPerRound, seed },
	);
}

const end = Date.now() + minutes * 60_000;
let rounds = 0;
do {
	round(Math.floor(Math.random() * 2 ** 31));
	rounds++;
	const heap = Math.round(process.memoryUsage().heapUsed / 1e6);
	console.log(
		`${(rounds * runsPerRound).toLocaleString('en')} inputs, nothing found; heap ${heap} MB`,
	);
} while (Date.now() < end);
