import type { IExecuteFunctions } from 'n8n-workflow';

import { readRules } from '../../../nodes/BacklinkExchange/resources/exchange/acceptMany/rules.ts';
import { Settings } from '../../../nodes/shared/fields/settings.ts';

interface Parameters {
	acceptFrom?: 'anyone' | 'listed';
	allowedPartners?: string;
	options?: object;
}

/** What judges an offer by these parameters of Accept Many; anyone may be a partner unless they say otherwise. */
export function rulesOf(given: Parameters): ReturnType<typeof readRules> {
	const parameters = { acceptFrom: 'anyone', allowedPartners: '', options: {}, ...given };
	const context = {
		getNode: () => ({ name: 'Node', type: 'test', typeVersion: 1, parameters }),
		getNodeParameter: (name: keyof typeof parameters) => parameters[name],
	};
	return readRules(Settings.ofItems(context as unknown as IExecuteFunctions)(0));
}
