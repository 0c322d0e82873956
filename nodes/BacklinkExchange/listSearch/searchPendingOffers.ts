import {
	type IDataObject,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	NodeOperationError,
} from 'n8n-workflow';

import { ServiceConnection } from '../../shared/connection';
import { resultOrThrow } from '../../shared/explanation';
import { readWholeList } from '../../shared/list';
import { shorten } from '../../shared/response';

/** The pending offers for "From List", with their sites and anchor text, narrowed down to what the user types. */
export async function searchPendingOffers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	// Somebody is waiting in the editor: a short answer, even if it is a no.
	const connection = await ServiceConnection.open(this, { maxRateLimitWait: 5, timeout: 15 });
	const result = await readWholeList(connection, {
		name: 'exchanges',
		path: ['exchanges'],
		query: { status: 'pending' },
		action: 'list the pending offers',
	});
	const { entries } = resultOrThrow(this.getNode(), result);
	if (entries.length === 0) {
		throw new NodeOperationError(this.getNode(), 'No offer is pending at the moment', {
			description:
				'An offer stays in this list until it is accepted. New ones come from partners; in the sandbox, press New Offer in its dashboard.',
		});
	}
	const wanted = filter?.trim().toLowerCase() ?? '';
	const labels = entries.map(label);
	const results = entries
		.map(({ id }, index) => {
			const name = labels[index] ?? '';
			const isUnique = labels.indexOf(name) === labels.lastIndexOf(name);
			return { name: isUnique ? name : `${name} (${String(id)})`, value: String(id) };
		})
		.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(wanted));
	return { results };
}

/** For example: blog.example.com → shop.example.com: "garden chairs". */
function label({ id, from_site, to_site, anchor }: IDataObject): string {
	const sites = [from_site, to_site].map(siteName).filter((name) => name !== '');
	const text = typeof anchor === 'string' && anchor !== '' ? `"${anchor}"` : '';
	const parts = [sites.join(' → '), text].filter((part) => part !== '');
	return shorten(parts.join(': ') || String(id), 120);
}

/** The format of from_site and to_site is not documented: a text, or an object with a URL or an id. */
function siteName(site: unknown): string {
	if (typeof site === 'string') return site.replace(/^https?:\/\//i, '').replace(/\/$/, '');
	if (typeof site !== 'object' || site === null) return '';
	const { url, id } = site as IDataObject;
	return siteName(url ?? id);
}
