/** What verifying a delivery costs, against the bare HMAC of the same body: npm run bench -- signature */
import { createHmac, randomBytes } from 'node:crypto';

import { signature } from '../probe/product.mts';

const { keysOf, verifySignature } = signature;

const sizes = [1024, 4096, 16_384, 65_536, 1_048_576];
/** Short ones, so that many are over before the machine does something else in between. */
const rounds = 500;
const bytesPerRound = 400_000;

const secret = randomBytes(24).toString('base64url');

/** Nanoseconds for each call. */
function time(times: number, work: () => unknown): number {
	const started = process.hrtime.bigint();
	for (let count = 0; count < times; count++) work();
	return Number(process.hrtime.bigint() - started) / times;
}

/** The tenth that was least disturbed by other programs. */
function undisturbed(times: number[]): number {
	return times.toSorted((one, other) => one - other)[Math.floor(times.length / 10)] ?? NaN;
}

console.log(
	`body      bare HMAC   verification   ratio (fastest tenth of ${rounds} alternating rounds)`,
);
for (const size of sizes) {
	const body = randomBytes(size);
	const bare = () => createHmac('sha256', secret).update(body).digest();
	// As a header arrives: one flat text.
	const header = Buffer.from(`sha256=${bare().toString('hex')}`).toString('latin1');
	// With everything that each delivery takes: keys from the secret, header, HMAC, comparison.
	const verify = () => {
		if (verifySignature({ body, header }, keysOf(secret)) !== 'valid') throw new Error('refused');
	};
	const times = Math.ceil(bytesPerRound / size);
	const alone: number[] = [];
	const whole: number[] = [];
	for (let round = 0; round < rounds; round++) {
		alone.push(time(times, bare));
		whole.push(time(times, verify));
	}
	const columns = [
		`${size}`.padStart(7),
		`${(undisturbed(alone) / 1000).toFixed(2)} µs`.padStart(12),
		`${(undisturbed(whole) / 1000).toFixed(2)} µs`.padStart(12),
		(undisturbed(whole) / undisturbed(alone)).toFixed(2).padStart(10),
	];
	console.log(columns.join(' '));
}
