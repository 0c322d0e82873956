/** Every operation of the action node, once, with what the tests that go through all of them need. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { acceptParameters, jsonOf, type TestService } from '../service.mts';

export interface OperationRow {
	resource: string;
	operation: string;
	/** For an item with the field `id`. */
	parameters: INodeParameters;
	/** Items that together show every field which the operation can put out, from a sandbox of their own. */
	outputs: (service: TestService) => Promise<IDataObject[]>;
	/** Fields that the service does not document: the sandbox sends them, `__schema__` does not promise them. */
	undocumented?: string[];
	/** Why the operation has no `__schema__`. */
	withoutSchema?: string;
}

function liveExchange(sandbox: TestService['sandbox']): { id: string } {
	const { id } = sandbox.requestOffer();
	sandbox.accept(id);
	sandbox.publish(id);
	return { id };
}

export const operations: OperationRow[] = [
	{
		resource: 'account',
		operation: 'getSummary',
		parameters: { days: 7 },
		outputs: async ({ run }) => jsonOf(await run('account', 'getSummary')),
	},
	{
		resource: 'credit',
		operation: 'getBalance',
		parameters: {},
		outputs: async ({ run }) => jsonOf(await run('credit', 'getBalance')),
	},
	{
		resource: 'credit',
		operation: 'getLedger',
		parameters: {},
		outputs: async ({ run }) => jsonOf(await run('credit', 'getLedger')),
		withoutSchema: 'service-api.md, "Credit balance": the fields of a ledger entry are not shown',
	},
	{
		resource: 'exchange',
		operation: 'accept',
		parameters: acceptParameters(),
		outputs: async ({ sandbox, accept }) => {
			const offers = [liveExchange(sandbox), sandbox.requestOffer(), sandbox.requestOffer()];
			return jsonOf(await accept(offers, { minimumBalance: 0, maxAccepts: 1 }));
		},
	},
	{
		resource: 'exchange',
		operation: 'acceptMany',
		parameters: { acceptFrom: 'anyone', allowedPartners: '', dryRun: false, options: {} },
		outputs: async ({ sandbox, acceptMany }) => {
			liveExchange(sandbox);
			for (let count = 0; count < 2; count++) sandbox.requestOffer();
			const options = { minimumBalance: 0, maxAccepts: 1, return: 'all' };
			return jsonOf(await acceptMany({ options }));
		},
	},
	{
		resource: 'exchange',
		operation: 'get',
		parameters: acceptParameters(),
		outputs: async ({ sandbox, run }) => {
			const parameters = acceptParameters(liveExchange(sandbox).id);
			return jsonOf(await run('exchange', 'get', { parameters }));
		},
		undocumented: ['created_at'],
	},
	{
		resource: 'exchange',
		operation: 'getAll',
		parameters: {},
		outputs: async ({ sandbox, run }) => {
			liveExchange(sandbox);
			return jsonOf(await run('exchange', 'getAll'));
		},
		undocumented: ['created_at'],
	},
	{
		resource: 'site',
		operation: 'create',
		parameters: { url: '=https://{{ $json.id }}.example', niche: 'gardening' },
		outputs: async ({ create }) => jsonOf(await create({ url: 'https://blog.example' })),
	},
	{
		resource: 'site',
		operation: 'getAll',
		parameters: {},
		outputs: async ({ sandbox, run }) => {
			sandbox.addSite({ url: 'https://blog.example', niche: 'gardening' });
			return jsonOf(await run('site', 'getAll'));
		},
	},
	{
		resource: 'watchdogEvent',
		operation: 'getAll',
		parameters: {},
		outputs: async ({ sandbox, run }) => {
			sandbox.alert({ exchangeId: sandbox.requestOffer().id });
			return jsonOf(await run('watchdogEvent', 'getAll'));
		},
		undocumented: ['id', 'created_at'],
	},
];
