/** n8n's own HTTP Request node with our credential: which hosts get the key. What counts as the host: test/unit/credentials. */
import { createServer } from 'node:http';

import { expect, test } from 'vitest';

import { BacklinkExchangeApi } from '../../../credentials/BacklinkExchangeApi.credentials.ts';
import { listen } from '../../untilTheTestEnds.mts';
import { chain, node } from '../nodes.mts';
import { output } from './editor.mts';
import { useWorld } from './world.mts';

const world = useWorld();
const type = 'backlinkExchangeApi';

/** The base URL has the address of this machine; its name is another host for n8n. */
const foreignHost = 'localhost';

/** Executes one HTTP Request node. @returns what it put out, or n8n's reason why not */
async function ask(url: string, credential?: { id: string; name: string }): Promise<unknown> {
	const asOurs = { authentication: 'predefinedCredentialType', nodeCredentialType: type };
	const options = { response: { response: { responseFormat: 'text' } } };
	const parameters = { url, ...(credential && asOurs), options };
	const credentials = credential && { credentials: { [type]: credential } };
	const workflow = await world.editor.create(
		chain(url, [
			node('Start', 'manualTrigger', 1),
			node('Ask', 'httpRequest', 4.2, parameters, credentials),
		]),
	);
	const execution = await workflow.execute('Start');
	if (execution.status !== 'success') return execution.error;
	return output(execution, 'Ask').map(({ data }) => data);
}

/** A server that is not the service. The first path leads to the second one, at another host. */
async function startOther() {
	const keysSeen: string[] = [];
	const port = await listen(
		createServer(({ url, headers }, response) => {
			if (headers.authorization !== undefined) keysSeen.push(`${headers.host ?? ''}${url ?? ''}`);
			if (url === '/redirect') {
				response.writeHead(302, { location: `http://${foreignHost}:${port}/there` });
			}
			response.end('there');
		}),
	);
	return { port, keysSeen };
}

/** As the editor saves it, with what is hidden. */
async function saveInTheEditor(): Promise<void> {
	const fields = new BacklinkExchangeApi().properties.map(({ name, default: value }) => [
		name,
		value,
	]);
	const { baseUrl, apiKey } = world.sandbox;
	const hidden = Object.fromEntries(fields) as object;
	await world.editor.addCredential(type, { ...hidden, baseUrl, apiKey });
}

test.each([
	['an API client does', () => Promise.resolve()],
	['the editor does, with what is hidden', saveInTheEditor],
])(
	'the key of a credential that was saved as %s goes to the host of its base URL alone',
	async (_, save) => {
		await save();
		const credential = world.editor.credential(type);
		const { port, keysSeen } = await startOther();
		const refused = /Domain not allowed.*127\.0\.0\.1/;

		const sites = await ask(`${world.sandbox.baseUrl}/sites`, credential);
		expect(sites).toEqual([expect.stringContaining('"sites"')]);

		// The other host is there, and n8n may ask it; not with the key.
		expect(await ask(`http://${foreignHost}:${port}/`)).toEqual(['there']);
		expect(await ask(`http://${foreignHost}:${port}/`, credential)).toMatch(refused);
		expect(await ask(`http://127.0.0.1.evil.example/`, credential)).toMatch(refused);
		expect(keysSeen).toEqual([]);

		// Nor by a detour.
		await ask(`http://127.0.0.1:${port}/redirect`, credential);
		expect(keysSeen).toEqual([`127.0.0.1:${port}/redirect`]);
	},
);
