/** How many requests an accept takes, counted in the sandbox's books. Run: npm run bench -- accept. A count, no figure of a machine. */
import { startSandbox } from '../sandbox/sandbox.mts';
import { runNode } from '../test/engine/engine.mts';

interface Case {
	what: string;
	offers: number;
	/** Instead of the offers' own. */
	id?: string;
	apiKey?: string;
	options?: Record<string, number>;
	operation?: 'accept' | 'acceptMany';
}

const cases: Case[] = [
	{ what: 'one offer', offers: 1 },
	{ what: 'twenty offers', offers: 20 },
	{ what: 'twenty offers, Minimum Balance', offers: 20, options: { minimumBalance: 10 } },
	{ what: 'twenty offers by Accept Many', offers: 20, operation: 'acceptMany' },
	{ what: 'an ID that the service does not know', offers: 1, id: 'exc_none' },
	{ what: 'twenty offers with a wrong key, On Error: Continue', offers: 20, apiKey: 'wrong' },
];

console.log('requests | what');
for (const { what, offers, id, apiKey, options, operation = 'accept' } of cases) {
	const sandbox = await startSandbox({ credits: 10_000, limits: { perMinute: 1e6, perDay: 1e6 } });
	const items = Array.from({ length: offers }, () => ({ id: id ?? sandbox.requestOffer().id }));
	const isMany = operation === 'acceptMany';
	await runNode({
		parameters: {
			resource: 'exchange',
			operation,
			...(isMany
				? { acceptFrom: 'anyone', dryRun: false, options: { maxAccepts: offers, ...options } }
				: {
						exchangeId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
						options: options ?? {},
					}),
		},
		items: isMany ? [{}] : items,
		credential: { baseUrl: sandbox.baseUrl, apiKey: apiKey ?? sandbox.apiKey },
		continues: true,
	});
	console.log(`${String(sandbox.books.requests().length).padStart(8)} | ${what}`);
	await sandbox.close();
}
