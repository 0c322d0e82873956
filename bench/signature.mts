/** What verifying a delivery costs, against the bare HMAC of the same body: npm run bench:signature */
import { createHmac, randomBytes } from 'node:crypto';

import { keysOf, verifySignature } from '../nodes/BacklinkExchangeTrigger/signature.ts';

const sizes = [1024, 4096, 16_384, 65_536, 1_048_576];
const rounds = 7;
const bytesPerRound = 100_000_000;

const secret = randomBytes(24).toString('base64url');

/** Nanoseconds for each call. */
function time(times: number, work: () => unknown): number {
	const started = process.hrtime.bigint();
	for (let count = 0; count < times; count++) work();
	return Number(process.hrtime.bigint() - started) / times;
}

function median(numbers: number[]): number {
	return numbers.sort((one, other) => one - other)[numbers.length >> 1] ?? NaN;
}

console.log('body      bare HMAC   verification   ratio (median of alternating rounds)');
for (const size of sizes) {
	const body = randomBytes(size);
	const bare = () => createHmac('sha256', secret).update(body).digest();
	// As a header arrives: one flat text.
	const header = Buffer.from(`sha256=${bare().toString('hex')}`).toString('latin1');
	// With everything that each delivery takes: keys from the secret, header, HMAC, comparison.
	const verify = () => {
		if (!verifySignature({ body, header }, keysOf(secret)).valid) throw new Error('refused');
	};
	const times = Math.min(100_000, Math.ceil(bytesPerRound / size));
	time(times, bare);
	time(times, verify);
	const results = Array.from({ length: rounds }, () => {
		const alone = time(times, bare);
		const whole = time(times, verify);
		return { alone, whole, ratio: whole / alone };
	});
	const columns = [
		`${size}`.padStart(7),
		`${(median(results.map(({ alone }) => alone)) / 1000).toFixed(1)} µs`.padStart(12),
		`${(median(results.map(({ whole }) => whole)) / 1000).toFixed(1)} µs`.padStart(12),
		median(results.map(({ ratio }) => ratio))
			.toFixed(2)
			.padStart(10),
	];
	console.log(columns.join(' '));
}
