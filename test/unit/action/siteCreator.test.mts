/** Create and the cache of the account's sites. All other tests: test/engine/action/siteCreate. */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { createSiteCreator } from '../../../nodes/BacklinkExchange/resources/site/siteCreator.ts';
import { fetchOwnSites } from '../../../nodes/shared/api/ownSites.ts';
import { parseSite } from '../../../nodes/shared/sites/site.ts';
import { Account } from '../../../nodes/shared/transport/account.ts';
import type { ApiClient } from '../../../nodes/shared/transport/apiClient.ts';
import type { ServiceResponse } from '../../../nodes/shared/transport/response.ts';
import { monotonicNow } from '../../../nodes/shared/utils/time.ts';

const respond = (json: unknown) => {
	const now = monotonicNow();
	const response: ServiceResponse = {
		...{ url: 'https://service.example/api/sites', requestedAt: now, receivedAt: now },
		...{ statusCode: 200, headers: {}, excerpt: JSON.stringify(json), json },
	};
	return Promise.resolve({ kind: 'response', response });
};

test('an exchange of a site that was just added is recognized', async () => {
	const sites: IDataObject[] = [];
	const client = {
		account: new Account('siteCreator.test'),
		createdAt: 0,
		get: async () => await respond({ sites: [...sites] }),
		post: async (_path: string[], site: IDataObject) => {
			const record = { id: 'site_new', ...site };
			sites.push(record);
			return await respond(record);
		},
	} as unknown as ApiClient;
	const url = 'https://new.example';
	const isOwn = async () => parseSite(url, await fetchOwnSites(client)).own !== undefined;
	expect(await isOwn()).toBe(false);
	const context = { getContext: () => ({}) } as unknown as IExecuteFunctions;
	await createSiteCreator(context, client)({ url, niche: 'tea' });
	expect(await isOwn()).toBe(true);
});
