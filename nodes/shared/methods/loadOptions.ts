import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { fetchList } from '../api/fetchList';
import { recentMs } from '../transport/requestCache';
import { withEditorClient } from './editorClient';
import { toSiteEntries } from './siteEntries';

/** Lists the sites of the account, for fields in which users select several of them. */
export async function getSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const list = await withEditorClient(
		this,
		async (client) => await fetchList(client, 'sites', client.maxAge(recentMs)),
	);
	return toSiteEntries(list.entries);
}
