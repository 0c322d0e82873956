/** What the tests of accepts that are in doubt share: a service that charges again, and what an accept came to. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { NodeRunOptions } from '../engine.mts';
import { acceptParameters, jsonOf, type TestService } from '../service.mts';

/** The worst that a service can do: charge a second accept as well. */
export const charging = { acceptAgain: '200-charged-again' } as const;

/** What a text must not say while nobody knows. */
export const deniesPayment =
	/nothing (was|has been|is) (sent|spent|changed)|not accepted|safe to run/i;

export const acceptEndpoint = 'POST /api/exchanges/:id/accept';

export const minute = 60_000;

/** The accepts that have reached the service. */
export const posts = ({ sandbox }: TestService) =>
	sandbox.books.requests({ endpoint: acceptEndpoint });

/** One accept: its item or error, and all that the error says. */
export async function acceptOf(service: TestService, id: string, options = {}) {
	const { items, error } = await service.run('exchange', 'accept', {
		parameters: acceptParameters(id, options),
	});
	const text = `${error?.message ?? ''} ${error?.description ?? ''}`;
	return { item: items[0]?.json, error, text };
}

/** Accept Many of all pending offers, unless the settings say otherwise: its run, and what was decided about each. */
export async function acceptMany(
	service: Pick<TestService, 'run'>,
	settings: object = {},
	more: Partial<NodeRunOptions> = {},
) {
	const parameters = {
		acceptFrom: 'anyone',
		allowedPartners: '',
		dryRun: false,
		options: {},
		...settings,
	} as INodeParameters;
	const result = await service.run('exchange', 'acceptMany', { parameters, ...more });
	return { ...result, decisions: jsonOf(result) };
}

export const outcomesOf = (decisions: IDataObject[]) => decisions.map(({ outcome }) => outcome);
