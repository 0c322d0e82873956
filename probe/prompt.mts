/** Questions to the person at the terminal. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

import { ProbeStopped } from './stopped.mts';

/** A secret from the environment, or typed in without being shown. */
export async function readSecret(variable: string, question: string): Promise<string> {
	const given = process.env[variable]?.trim() ?? '';
	if (given !== '') return given;
	const answer = (await ask(question, true)).trim();
	if (answer === '') throw new ProbeStopped(`Nothing was entered. Enter it, or set ${variable}.`);
	return answer;
}

/** Asks for one line of input, which is not echoed where it is hidden. */
export async function ask(question: string, hidden = false): Promise<string> {
	process.stdout.write(question);
	const muted = new Writable({
		write: (_chunk, _encoding, done) => {
			done();
		},
	});
	const input = createInterface({
		input: process.stdin,
		output: hidden ? muted : process.stdout,
		terminal: process.stdin.isTTY,
	});
	try {
		const ended = new Promise<string>((resolve) => {
			input.once('close', () => {
				resolve('');
			});
		});
		return await Promise.race([input.question(''), ended]);
	} finally {
		input.close();
		if (hidden) process.stdout.write('\n');
	}
}
