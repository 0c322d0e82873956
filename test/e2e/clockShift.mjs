/**
 * Loaded into n8n before anything else: its clock, and the one that nobody sets, are ahead by as many milliseconds as a file
 * says. Timers are not.
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
		// not there yet
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
