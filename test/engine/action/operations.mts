/** Table of all operations of the action node, for the tests that check each of them. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { acceptParameters, jsonOf, type TestService } from '../service.mts';
import { mockExchanges, pending } from './acceptFixtures.mts';

export interface OperationRow {
	resource: string;
	operation: string;
	/** Parameters for an item with the field `id`. */
	parameters: INodeParameters;
	/**
	 * Produces items with every output field, if one item with these parameters doesn't have them
	 * all.
	 */
	outputs?: (service: TestService, live: { id: string }) => Promise<IDataObject[]>;
	/**
	 * Fields that the service does not document: the sandbox sends them, `__schema__` does not
	 * promise them.
	 */
	undocumented?: string[];
	/** Whether it runs all input items together, so that they fail together. */
	runsAllItems?: boolean;
	/** Reason why the operation has no `__schema__`. */
	withoutSchema?: string;
}

export const operations: OperationRow[] = [
	{ resource: 'account', operation: 'getSummary', parameters: { days: 7 } },
	{ resource: 'credit', operation: 'getBalance', parameters: {} },
	{
		resource: 'credit',
		operation: 'getLedger',
		parameters: {},
		withoutSchema: 'service-api.md, "Credit balance": the fields of a ledger entry are not shown',
	},
	{
		resource: 'exchange',
		operation: 'accept',
		parameters: acceptParameters(),
		outputs: async ({ sandbox, accept }, live) => {
			const offers = [live, sandbox.requestOffer(), sandbox.requestOffer()];
			return jsonOf(await accept(offers, { maxAccepts: 1, includeRecord: true }));
		},
	},
	{
		resource: 'exchange',
		operation: 'acceptMany',
		runsAllItems: true,
		parameters: { acceptFrom: 'anyone', dryRun: false },
		outputs: async ({ sandbox, acceptMany }) => {
			for (let count = 0; count < 2; count++) sandbox.requestOffer();
			const options = { includeRecord: true, offersToReturn: 'all' };
			// The sandbox shows the page of a link only after it was published.
			const withPage = pending({ live_url: 'https://tea.example/post' });
			const other = mockExchanges({ list: () => [withPage] });
			return [
				...jsonOf(await acceptMany({ maxAccepts: 1, options })),
				...jsonOf(await other.acceptMany({ options })),
			];
		},
	},
	{
		resource: 'exchange',
		operation: 'get',
		parameters: acceptParameters(),
		undocumented: ['created_at'],
	},
	{
		resource: 'exchange',
		operation: 'getAll',
		parameters: {},
		undocumented: ['created_at'],
	},
	{
		resource: 'site',
		operation: 'create',
		parameters: { url: '=https://{{ $json.id }}.example', niche: 'gardening' },
	},
	{ resource: 'site', operation: 'getAll', parameters: {} },
	{
		resource: 'watchdogEvent',
		operation: 'getAll',
		parameters: {},
		undocumented: ['id', 'created_at'],
	},
];

/**
 * Returns items that together contain every output field of the operation, from a service of their
 * own.
 */
export async function getOutputs(
	{ resource, operation, parameters, outputs }: OperationRow,
	service: TestService,
): Promise<IDataObject[]> {
	const { sandbox, run } = service;
	const live = sandbox.requestOffer({ id: 'live' });
	sandbox.accept(live.id);
	sandbox.publish(live.id);
	sandbox.addSite({ url: 'https://blog.example', niche: 'gardening' });
	sandbox.alert({ exchangeId: live.id });
	if (outputs !== undefined) return await outputs(service, live);
	return jsonOf(await run(resource, operation, { parameters, items: [{ id: live.id }] }));
}
