// n8n loads this file into its own process (EXTERNAL_HOOK_FILES). It writes down, again and again, what is left in memory after
// a garbage collection, and what is open. Plain CommonJS, because n8n loads it with require.
const { appendFileSync, readdirSync } = process.getBuiltinModule('node:fs');
const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
const { setFlagsFromString } = process.getBuiltinModule('node:v8');
const { runInNewContext } = process.getBuiltinModule('node:vm');

const { SOAK_SAMPLES, SOAK_SECONDS_PER_SAMPLE } = process.env;

// n8n's command line loads this file as well, without a parent to talk to; what it leaves in memory is of no interest.
if (process.connected && SOAK_SAMPLES !== undefined) {
	setFlagsFromString('--expose-gc');
	/** @type {unknown} */
	const gc = runInNewContext('gc');
	const collectGarbage = /** @type {() => void} */ (gc);
	const begun = Date.now();
	const loop = monitorEventLoopDelay();
	loop.enable();

	const measure = () => {
		const loopDelay = loop.percentile(99) / 1e6;
		// The second one takes what the finalizers of the first have let go.
		collectGarbage();
		collectGarbage();
		const { heapUsed, external, rss } = process.memoryUsage();
		const { user, system } = process.cpuUsage();
		const sample = {
			seconds: (Date.now() - begun) / 1000,
			heapUsed,
			external,
			rss,
			cpuSeconds: (user + system) / 1e6,
			descriptors: readdirSync('/proc/self/fd').length,
			loopDelay,
			resources: Object.fromEntries(
				[...new Set(process.getActiveResourcesInfo())].map((name) => [
					name,
					process.getActiveResourcesInfo().filter((each) => each === name).length,
				]),
			),
		};
		loop.reset();
		appendFileSync(SOAK_SAMPLES, `${JSON.stringify(sample)}\n`);
	};
	setInterval(measure, Number(SOAK_SECONDS_PER_SAMPLE) * 1000).unref();
}

module.exports = {};
