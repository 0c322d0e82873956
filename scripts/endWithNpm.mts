/**
 * Ends this process when the npm that started it is gone.
 *
 * A killed npm doesn't pass its signal on, and n8n would keep running. The scripts of package.json
 * set NPM_PROCESS.
 */
const npm = Number(process.env.NPM_PROCESS);
if (npm > 0) {
	// Not for the processes that this one starts.
	delete process.env.NPM_PROCESS;
	setInterval(() => {
		if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM');
	}, 250).unref();
}
