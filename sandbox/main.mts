/** The command line: `npm run sandbox`. */
import { request } from 'undici';

import { type Command, parseCommand, type StartOptions } from './commandLine.mts';
import { namesFile, resolveDialect } from './dialects.mts';
import { InvalidSetting } from './errors.mts';
import { startSandbox } from './sandbox.mts';

try {
	await run(parseCommand(process.argv.slice(2)));
} catch (error) {
	if (!(error instanceof InvalidSetting)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}

async function run(command: Command): Promise<void> {
	if (command.name === 'print') process.stdout.write(command.text);
	else if (command.name === 'start') await start(command.options);
	else await order(command);
}

async function start(options: StartOptions): Promise<void> {
	const sandbox = await startSandbox({
		...options,
		onActivity: ({ time, text }) => {
			console.log(`${time.slice(11, 19)}  ${text}`);
		},
	});
	console.log(`Dashboard:  ${sandbox.origin}
Base URL:   ${sandbox.baseUrl}
API key:    ${sandbox.apiKey}
Store:      ${options.data}
Stop with Ctrl+C.
`);
	const stop = () => void sandbox.close();
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
	// Nobody reads any more, as after `| head`.
	process.stdout.once('error', stop);
}

async function order({
	port,
	path,
	body,
	done,
}: Extract<Command, { name: 'control' }>): Promise<void> {
	const origin = `http://127.0.0.1:${port}`;
	const answer = await request(`${origin}/control${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(withoutFiles(body)),
	}).catch(() => {
		throw new InvalidSetting(
			`No sandbox is running at ${origin}. Start one with npm run sandbox, or name its port with --port.`,
		);
	});
	const content = await answer.body.text();
	if (answer.statusCode !== 200) {
		throw new InvalidSetting(messageOf(content) ?? `The sandbox answered ${answer.statusCode}.`);
	}
	console.log(done);
}

/**
 * The body with the settings in the place of the names of files, which a running sandbox does not take.
 * @throws InvalidSetting for a file that holds no settings
 */
function withoutFiles(body: Record<string, unknown>): Record<string, unknown> {
	const { dialect } = body;
	return typeof dialect === 'string' && namesFile(dialect)
		? { dialect: resolveDialect(dialect) }
		: body;
}

function messageOf(content: string): string | undefined {
	try {
		const answer = JSON.parse(content) as { error?: { message?: unknown } };
		return typeof answer.error?.message === 'string' ? answer.error.message : undefined;
	} catch {
		return undefined;
	}
}
