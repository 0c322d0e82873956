import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { getRules } from '../../../nodes/BacklinkExchange/resources/exchange/acceptMany/rules.ts';
import { Exchange } from '../../../nodes/shared/api/exchange.ts';
import { ParameterReader } from '../../../nodes/shared/parameters/parameterReader.ts';
import { OwnSites } from '../../../nodes/shared/sites/ownSites.ts';

interface Parameters {
	acceptFrom?: 'anyone' | 'listed';
	allowedPartners?: string;
	blockedAnchorWords?: string;
	rules?: object;
}

/**
 * Creates the rules for these parameters of Accept Many; by default, any partner is allowed.
 *
 * @param sites the account's sites; by default it has none, so no end is recognized
 */
export function createRules(overrides: Parameters, sites: IDataObject[] = []) {
	const parameters = {
		...{ acceptFrom: 'anyone', allowedPartners: '', blockedAnchorWords: '', rules: {} },
		...overrides,
	};
	const context = {
		getNode: () => ({ name: 'Node', type: 'test', typeVersion: 1, parameters }),
		getNodeParameter: (name: keyof typeof parameters) => parameters[name],
	};
	const { getDenial } = getRules(
		ParameterReader.forItems(context as unknown as IExecuteFunctions)(0),
	);
	const own = new OwnSites(sites);
	return (offer: IDataObject) => getDenial(Exchange.parse([offer], own))?.outcome ?? 'allowed';
}
