/** Command line of `npm run probe -- <base URL>`. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

const help = `Asks a Backlink Exchange Service everything that can be asked without changing anything, and says what came
(status, shape, limit headers), what the nodes of this package make of it, and how many exchanges they read
as incoming and as outgoing: about 20 requests.

  npm run probe -- <base URL>    for example https://app.example.com/api

The API key is read from BACKLINK_EXCHANGE_API_KEY; if that is not set, the probe asks for it. What it prints
holds names of fields and types of values, but no key, no address, no site, no anchor text and no ID.
`;

const [address = '', ...surplus] = process.argv.slice(2);
const url = URL.parse(address);

if (address === '--help') process.stdout.write(help);
else if (
	url === null ||
	!/^https?:$/.test(url.protocol) ||
	url.search !== '' ||
	surplus.length > 0
) {
	// The input isn't repeated, because it might be a key.
	console.error(`The probe takes one web address.\n\n${help}`);
	process.exitCode = 1;
} else {
	const apiKey = process.env.BACKLINK_EXCHANGE_API_KEY?.trim() || (await askForKey());
	// n8n's engine takes a while to load.
	const { probe } = await import('./probe.mts');
	const areParsed = await probe(address.replace(/\/+$/, ''), apiKey, (line) => {
		console.log(line);
	});
	process.exitCode = areParsed ? 0 : 1;
}

/** Prompts for the key without showing the typed characters. */
async function askForKey(): Promise<string> {
	process.stdout.write('API key (it is not shown): ');
	const output = new Writable({
		write: (_chunk, _encoding, done) => {
			done();
		},
	});
	const input = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
	const ended = new Promise<string>((resolve) => {
		input.once('close', () => {
			resolve('');
		});
	});
	const key = await Promise.race([input.question(''), ended]);
	input.close();
	process.stdout.write('\n');
	return key.trim();
}
