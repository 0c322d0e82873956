import { parseArgs } from 'node:util';

import { ProbeStopped } from './stopped.mts';

export const keyVariable = 'BACKLINK_EXCHANGE_API_KEY';
export const secretVariable = 'BACKLINK_EXCHANGE_WEBHOOK_SECRET';
const addressVariable = 'BACKLINK_EXCHANGE_BASE_URL';

export const help = `Asks a Backlink Exchange Service how it answers, and writes a report that holds only shapes:
no key, no site, no anchor, no ID. You can paste the report into an issue, and use it as a dialect of the sandbox.

  npm run probe -- <base URL>                    about 15 requests that only read
  npm run probe -- <base URL> --accept <id>      accepts one offer, after you have typed its cost
  npm run probe -- --listen <port>               receives deliveries and says how they are signed

  --report <file>    where the report goes; default probe-report.json
  --deliveries <n>   with --listen: stop after n deliveries; default: until Ctrl-C
  --help             this text

The base URL ends in /api, for example https://app.example.com/api, and may be in ${addressVariable}.
The API key is read from ${keyVariable}, the webhook secret from ${secretVariable};
if they are not set, the probe asks for them. They are never taken from the command line, where others could see them.
`;

export type Command =
	| { name: 'help' }
	| { name: 'ask'; baseUrl: string; report: string }
	| { name: 'accept'; baseUrl: string; report: string; id: string }
	| { name: 'listen'; port: number; deliveries: number; report: string };

/** @throws ProbeStopped for anything that the help does not list */
export function parseCommand(args: string[], environment: NodeJS.ProcessEnv): Command {
	const { values, positionals } = read(args);
	if (values.help) return { name: 'help' };
	const report = values.report ?? 'probe-report.json';
	if (values.listen !== undefined) {
		if (positionals.length > 0 || values.accept !== undefined) {
			throw new ProbeStopped('--listen goes without a base URL and without --accept. See --help.');
		}
		const deliveries =
			values.deliveries === undefined ? Infinity : wholeNumber('--deliveries', values.deliveries);
		return { name: 'listen', port: wholeNumber('--listen', values.listen), deliveries, report };
	}
	if (values.deliveries !== undefined) {
		throw new ProbeStopped('--deliveries goes with --listen. See --help.');
	}
	const [given = environment[addressVariable] ?? '', ...others] = positionals;
	if (others.length > 0) throw new ProbeStopped('The probe takes one base URL. See --help.');
	const baseUrl = readAddress(given);
	if (values.accept === undefined) return { name: 'ask', baseUrl, report };
	if (values.accept.trim() === '') throw new ProbeStopped('--accept takes the id of an offer.');
	return { name: 'accept', baseUrl, report, id: values.accept };
}

function read(args: string[]) {
	try {
		return parseArgs({
			args,
			allowPositionals: true,
			options: {
				help: { type: 'boolean', short: 'h' },
				report: { type: 'string' },
				listen: { type: 'string' },
				deliveries: { type: 'string' },
				accept: { type: 'string' },
			},
		});
	} catch {
		// What was typed is not repeated, because it might be a key.
		throw new ProbeStopped('The probe does not know one of these options. See --help.');
	}
}

function readAddress(text: string): string {
	if (text.trim() === '') throw new ProbeStopped(`The base URL is missing.\n\n${help}`);
	const url = URL.parse(text.trim());
	const isWebAddress = url !== null && /^https?:$/.test(url.protocol) && url.host !== '';
	const isBare =
		url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
	if (!isWebAddress || !isBare) {
		throw new ProbeStopped(
			'The base URL has to be a web address such as https://app.example.com/api, without a key or a question mark in it.',
		);
	}
	return text.trim().replace(/\/+$/, '');
}

function wholeNumber(option: string, text: string): number {
	if (!/^\d{1,5}$/.test(text)) throw new ProbeStopped(`${option} takes a whole number.`);
	return Number(text);
}
