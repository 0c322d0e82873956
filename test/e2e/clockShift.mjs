/**
 * Loaded into n8n before anything else. Moves the wall clock and the monotonic clock forward by the
 * number of milliseconds in a file. Timers are unaffected.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const realNow = Date.now.bind(Date);
const realSteadyNow = performance.now.bind(performance);
const file = process.env.TEST_CLOCK_SHIFT ?? '';
let shift = 0;
setInterval(() => {
	try {
		shift = Number(readFileSync(file, 'utf8'));
	} catch {
		// The file doesn't exist yet.
	}
}, 200).unref();

globalThis.Date = new Proxy(RealDate, {
	construct(_target, values) {
		if (values.length === 0) return new RealDate(realNow() + shift);
		/** @type {unknown} */
		const date = Reflect.construct(RealDate, values);
		return /** @type {Date} */ (date);
	},
});
Date.now = () => realNow() + shift;
performance.now = () => realSteadyNow() + shift;
