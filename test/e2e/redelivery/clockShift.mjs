/** Loaded into n8n before anything else: its clock is ahead by as many milliseconds as a file says. Timers are not. */
import { readFileSync } from 'node:fs';

const realNow = Date.now.bind(Date);
const file = process.env.TEST_CLOCK_SHIFT ?? '';
let shift = 0;
setInterval(() => {
	try {
		shift = Number(readFileSync(file, 'utf8'));
	} catch {
		// not there yet
	}
}, 200).unref();

const RealDate = Date;
globalThis.Date = new Proxy(RealDate, {
	construct: (_target, values) =>
		values.length === 0
			? new RealDate(realNow() + shift)
			: new RealDate(.../** @type {[string]} */ (values)),
});
Date.now = () => realNow() + shift;
