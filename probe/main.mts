/** The command line: `npm run probe`. */
import { writeFileSync } from 'node:fs';

import { confirmationOf, lookAtOffer, probeAccept } from './accept.mts';
import { askAll } from './ask.mts';
import { Client } from './client.mts';
import { type Command, help, keyVariable, parseCommand, secretVariable } from './commandLine.mts';
import { listen } from './listen.mts';
import { ask, readSecret } from './prompt.mts';
import { lineOf, type Observation, reportOf } from './report.mts';
import { ProbeStopped } from './stopped.mts';

try {
	await run(parseCommand(process.argv.slice(2), process.env));
} catch (error) {
	if (!(error instanceof ProbeStopped)) throw error;
	console.error(error.message);
	if (error.mayHaveActed) {
		console.error('The request may have been carried out: check the dashboard of the service.');
	}
	process.exitCode = 1;
}

async function run(command: Command): Promise<void> {
	switch (command.name) {
		case 'help':
			process.stdout.write(help);
			return;
		case 'ask':
			write(command.report, await askAll(await openClient(command.baseUrl), print));
			return;
		case 'accept':
			await accept(command);
			return;
		case 'listen':
			await receive(command);
	}
}

async function openClient(baseUrl: string): Promise<Client> {
	const key = await readSecret(keyVariable, 'API key (it is not shown): ');
	return new Client(baseUrl, key, (milliseconds) => {
		console.log(`The request limit is reached; waiting ${Math.ceil(milliseconds / 1000)} s.`);
	});
}

async function accept({ baseUrl, report, id }: Extract<Command, { name: 'accept' }>) {
	const client = await openClient(baseUrl);
	const offer = await lookAtOffer(client, id);
	const confirmation = confirmationOf(id, offer);
	console.log(
		`This accepts the offer and spends credits of your account${offer.balance === undefined ? '' : ` (it has ${offer.balance})`}.`,
	);
	const typed = await ask(`To go on, type: ${confirmation}\n> `);
	if (typed.trim() !== confirmation) throw new ProbeStopped('Nothing was sent.');
	const observations = await probeAccept(client, id, offer);
	for (const observation of observations) print(observation);
	write(report, observations);
}

async function receive({ port, deliveries, report }: Extract<Command, { name: 'listen' }>) {
	const secret = await readSecret(secretVariable, 'Webhook secret (it is not shown): ');
	const stopped = Promise.withResolvers<undefined>();
	let count = 0;
	const listener = await listen(port, secret, (observation) => {
		print(observation);
		if (observation.question === 'delivery' && ++count >= deliveries) stopped.resolve(undefined);
	}).catch((error: unknown) => {
		throw new ProbeStopped(
			`Port ${port} cannot be listened on (${error instanceof Error ? error.message : String(error)}).`,
		);
	});
	console.log(
		`Listening on port ${listener.port}. Enter the address of this machine with that port in the dashboard under Settings, then Webhooks. Ctrl-C ends it.`,
	);
	process.once('SIGINT', () => {
		stopped.resolve(undefined);
	});
	await stopped.promise;
	// The last delivery still gets its answer.
	await new Promise((resolve) => setTimeout(resolve, 100));
	await listener.close();
	write(report, listener.observations());
}

function print(observation: Observation): void {
	console.log(lineOf(observation));
}

function write(file: string, observations: Observation[]): void {
	writeFileSync(file, `${JSON.stringify(reportOf(observations), undefined, '\t')}\n`);
	console.log(`\nReport (no key, no site, no anchor in it): ${file}`);
	console.log(`The sandbox answers like this service with: npm run sandbox -- --dialect ${file}`);
}
