import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { locator } from '../../../shared/fields/locator';
import type { Settings } from '../../../shared/fields/settings';
import { hostOf, isSameUrl, normalizedUrl, siteOfUrl } from '../../../shared/site';
import { isExplanation } from '../../../shared/words/explanation';
import { address, labelled, quote, sentence } from '../../../shared/words/message';
import output from '../../__schema__/v1.0.0/site/create.json';
import { executionMemory } from '../../executionMemory';
import type { Operation } from '../../operation';
import { turns } from '../../turns';
import { createSite, type NewSite, type SentSites } from './createSite';
import { verification } from './verification';

const url: INodeProperties = {
	displayName: 'URL',
	name: 'url',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://blog.example.com',
	description: 'Address of the site, with https:// or http://',
};

const niche = locator({
	displayName: 'Niche',
	name: 'niche',
	required: true,
	description:
		'Category of the site: choose one that your sites have, or enter another. The service does not publish which values it allows.',
	searchListMethod: 'searchNiches',
	placeholder: 'Select a niche…',
	entry: { displayName: 'By Name', name: 'name', placeholder: 'e.g. gardening' },
});

const verificationTimeout: INodeProperties = {
	displayName: 'Verification Timeout (Seconds)',
	name: 'verificationTimeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 86_400 },
	default: 300,
	description:
		'Maximum number of seconds to wait for the verification. After that, the site is returned in its latest state.',
	displayOptions: { show: { waitForVerification: [true] } },
};

const waitForVerification: INodeProperties = {
	displayName: 'Wait for Verification',
	name: 'waitForVerification',
	type: 'boolean',
	default: false,
	description:
		'Whether to wait until the service has verified the site, which happens some time after it was added',
};

const ifExists: INodeProperties = {
	displayName: 'If Exists',
	name: 'ifExists',
	type: 'options',
	options: [
		{
			name: 'Create',
			value: 'create',
			description: 'Send the request anyway, and let the service decide',
		},
		{
			name: 'Return Existing',
			value: 'return',
			description:
				'Return the existing site, and add nothing. With http or https, and with or without www., it is the same site.',
		},
	],
	default: 'create',
	description: 'What to do if the account already has a site with this URL',
};

interface Input extends NewSite {
	/** Seconds to wait for the verification; undefined not to wait. */
	wait?: number;
}

/** POST /sites (service-api.md, "Endpoints"); the service then verifies the site asynchronously. */
export const create: Operation<Input> = {
	value: 'create',
	name: 'Create',
	action: 'Create site',
	description: 'Add a site to the account',
	output,
	pattern:
		"For sites of a file or table: one item for each, options { ifExists: 'return' }. outcome is 'unverified' only with waitForVerification.",
	fields: [url, niche],
	options: [ifExists, verificationTimeout, waitForVerification],
	read(settings) {
		const options = settings.collection();
		const timeout = options.number(verificationTimeout);
		return {
			url: readUrl(settings),
			niche: settings.text(niche),
			ifExists: options.choice(ifExists) === 'return' ? 'return' : 'create',
			...(options.boolean(waitForVerification) && { wait: timeout }),
		};
	},
	begin({ context, connection, hint }) {
		const untilVerified = verification(connection);
		// What was sent is in n8n's execution data, as it is for accepts (docs/decisions/0003-accept-is-paid-once.md).
		const sentSites = (executionMemory(context).sites ??= {}) as SentSites;
		/** The keys of the sites that earlier items of this run have named. */
		const named = new Set<string>();
		return {
			async handle(input) {
				const key = connection.accountKey(JSON.stringify(identityOf(input)));
				const create = async () => await createSite(connection, sentSites, key, input);
				// Requests for the same site are sent one at a time, so that the second one finds what the first has added.
				const created = await turns.inTurn(key, create, connection.signal);
				if (isExplanation(created)) return created;
				const { site } = created;
				// Of several items that name a site, the first adds it, and the others find it there.
				const isNew = created.isNew && !named.has(key);
				named.add(key);
				if (!isSameUrl(site.url, input.url)) {
					hint(
						'address',
						'The service writes the address of at least one site differently: see "url".',
					);
				}
				const outcome = isNew ? 'added' : 'existing';
				if (input.wait === undefined) return [toItem(site, outcome)];
				const checked = await untilVerified(site, input.wait);
				if (checked.verified === true) return [toItem(checked, outcome)];
				hint('unverified', 'At least one site is not verified yet.');
				return [toItem(checked, 'unverified')];
			},
		};
	},
};

const headlines = {
	added: 'Added',
	existing: 'Already there:',
	unverified: 'Not verified yet:',
};

/**
 * What requests have in common that are for one site, so that it is added once. The same URL with another niche is another
 * request, which the service decides on, unless Return Existing takes both for the same site.
 */
function identityOf({ url, niche, ifExists }: NewSite): string[] {
	return ifExists === 'return' ? ['site', siteOfUrl(url)] : ['site', normalizedUrl(url), niche];
}

/** The record, with what became of it as `outcome` and as one plain sentence. */
function toItem(site: IDataObject, outcome: keyof typeof headlines): IDataObject {
	const words = sentence(address(site.url ?? site.id), labelled('niche', quote(site.niche)));
	return { ...deepCopy(site), outcome, message: `${headlines[outcome]} ${words || 'a site'}` };
}

function readUrl(settings: Settings): string {
	const text = settings.text(url);
	if (/^https?:\/\/[^/]/i.test(text) && hostOf(text) !== undefined) return text;
	throw settings.refuse(
		url,
		text,
		'a complete web address with https:// or http:// at the front, for example https://blog.example.com',
	);
}
