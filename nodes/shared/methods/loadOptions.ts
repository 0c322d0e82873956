import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { fetchList } from '../api/fetchList';
import { unwrapOrThrow } from '../errors';
import { sharedFor10s } from '../transport/requestCache';
import { createEditorClient } from './editorClient';
import { toSiteEntries } from './siteEntries';

/** Lists the sites of the account, for fields in which users select several of them. */
export async function getSites(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const client = await createEditorClient(this);
	const list = unwrapOrThrow(this.getNode(), await fetchList(client, 'sites', sharedFor10s));
	return toSiteEntries(list.entries);
}
