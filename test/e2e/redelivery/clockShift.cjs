// @ts-nocheck n8n loads it as it is
'use strict';
/* Loaded into n8n before anything else: its clock is ahead by as many milliseconds as a file says. Timers are not. */
const { readFileSync } = require('node:fs');

const RealDate = Date;
let shift = 0;
setInterval(() => {
	try {
		shift = Number(readFileSync(process.env.TEST_CLOCK_SHIFT, 'utf8'));
	} catch {
		// not there yet
	}
}, 200).unref();

globalThis.Date = class extends RealDate {
	constructor(...values) {
		if (values.length === 0) super(RealDate.now() + shift);
		else super(...values);
	}

	static now() {
		return RealDate.now() + shift;
	}
};
