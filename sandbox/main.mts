/** Entry point of `npm run sandbox`. */
import '../scripts/endWithNpm.mts';

import { parseCommand } from './commandLine.mts';
import { InvalidSettingError } from './errors.mts';
import { type SandboxOptions, startSandbox } from './sandbox.mts';

try {
	const command = parseCommand(process.argv.slice(2));
	if (typeof command === 'string') process.stdout.write(command);
	else await start(command);
} catch (error) {
	if (!(error instanceof InvalidSettingError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}

async function start(options: SandboxOptions & { data: string }): Promise<void> {
	const sandbox = await startSandbox({
		...options,
		onActivity: ({ time, text }) => {
			console.log(`${time.slice(11, 19)}  ${text}`);
		},
	});
	console.log(`The sandbox is running:

Dashboard:  ${sandbox.origin}
Base URL:   ${sandbox.baseUrl}
API key:    ${sandbox.apiKey}
Mail:       127.0.0.1, port ${sandbox.mailPort}
Data file:  ${options.data}

Copy the Base URL and the API key to a credential in n8n. The Mail page of the dashboard shows the
emails that n8n sends to the mail server. Press Ctrl+C to stop the sandbox.
`);
	const stop = () => void sandbox.close();
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
	// The reader of the pipe has gone, as with `| head`.
	process.stdout.once('error', stop);
}
