/** n8n's own HTTP Request node with our credential: which hosts get the key. What counts as the host: test/unit/credentials. */
import { createServer } from 'node:http';

import { expect, test } from 'vitest';

import { BacklinkExchangeApi } from '../../../credentials/BacklinkExchangeApi.credentials.ts';
import { listen } from '../../untilTheTestEnds.mts';
import { output } from './editor.mts';
import { useWorld } from './world.mts';

const world = useWorld();

/** The base URL has the address of this machine; its name is another host for n8n. */
const foreignHost = 'localhost';

/** Executes one HTTP Request node. @returns what it put out, or n8n's reason why not */
async function ask(url: string, credential?: { id: string; name: string }): Promise<unknown> {
	const common = { typeVersion: 1, position: [0, 0] as [number, number] };
	const workflow = await world.editor.create({
		name: url,
		nodes: [
			{ ...common, id: '1', name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
			{
				...common,
				id: '2',
				name: 'Ask',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				parameters: {
					url,
					...(credential && {
						authentication: 'predefinedCredentialType',
						nodeCredentialType: 'backlinkExchangeApi',
					}),
					options: { response: { response: { responseFormat: 'text' } } },
				},
				...(credential && { credentials: { backlinkExchangeApi: credential } }),
			},
		],
		connections: { Start: { main: [[{ node: 'Ask', type: 'main', index: 0 }]] } },
	});
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

const saved = [
	{ saved: 'as an API client does', save: () => world.editor.credential('backlinkExchangeApi') },
	{
		saved: 'as the editor does, with what is hidden',
		save: async () => {
			const { baseUrl, apiKey } = world.sandbox;
			const hidden = Object.fromEntries(
				new BacklinkExchangeApi().properties.map((field) => [field.name, field.default]),
			);
			const body = {
				name: 'Saved in the editor',
				type: 'backlinkExchangeApi',
				data: { ...hidden, baseUrl, apiKey },
			};
			return (await world.editor.request('POST', '/rest/credentials', body)) as {
				id: string;
				name: string;
			};
		},
	},
];

test.each(saved)(
	'a credential that is saved $saved: its key goes to the host of its base URL alone',
	async ({ save }) => {
		const credential = await save();
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
