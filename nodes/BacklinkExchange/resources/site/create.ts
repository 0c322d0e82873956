import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { resourceLocator } from '../../../shared/descriptions/resourceLocator';
import { isErrorResult } from '../../../shared/errors';
import { formatSite, joinParts, quote, withLabel } from '../../../shared/formatting/message';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import outputSchema from '../../__schema__/v1.0.0/site/create.json';
import type { Operation } from '../../operation.types';
import { isAbsoluteSiteUrl } from './parseSiteLines';
import { createSiteCreator, type NewSite } from './siteCreator';
import { waitForVerification } from './waitForVerification';

const url: INodeProperties = {
	displayName: 'URL',
	name: 'url',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://blog.example.com',
	description: 'Address of the site, with https:// or http://',
};

const niche = resourceLocator({
	displayName: 'Niche',
	name: 'niche',
	required: true,
	description:
		'Category of the site: choose one that your sites have, or enter another. The service does not publish which values it allows.',
	searchListMethod: 'searchNiches',
	placeholder: 'Select a niche…',
	manualModes: [{ displayName: 'By Name', name: 'name', placeholder: 'e.g. gardening' }],
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

const waitForVerificationField: INodeProperties = {
	displayName: 'Wait for Verification',
	name: 'waitForVerification',
	type: 'boolean',
	default: false,
	description:
		'Whether to wait until the service has verified the site, which happens some time after it was added',
};

interface Input extends NewSite {
	/** Left out: don't wait for verification. */
	waitSeconds?: number;
}

/** POST /sites (service-api.md, "Endpoints"); the service then verifies the site asynchronously. */
export const create: Operation<Input> = {
	value: 'create',
	name: 'Create',
	action: 'Create site',
	description: 'Add a site to the account. A site that it has already comes back as it is.',
	outputSchema,
	usageHint:
		"For many sites of a text, form or file take createMany. outcome is 'unverified' only with waitForVerification.",
	properties: [url, niche],
	options: [verificationTimeout, waitForVerificationField],
	getParameters(parameters) {
		const options = parameters.collection();
		const timeout = options.number(verificationTimeout);
		return {
			url: getSiteUrl(parameters),
			niche: parameters.string(niche),
			...(options.boolean(waitForVerificationField) && { waitSeconds: timeout }),
		};
	},
	createHandler({ context, client, hint }) {
		const createSite = createSiteCreator(context, client);
		return {
			async executeItem({ waitSeconds, ...input }) {
				const result = await createSite(input);
				if (isErrorResult(result)) return result;
				const { site } = result;
				const outcome = result.isNew ? 'added' : 'existing';
				if (waitSeconds === undefined) return [siteToItem(site, outcome)];
				const latest = await waitForVerification(client, site, waitSeconds);
				if (latest.verified === true) return [siteToItem(latest, outcome)];
				hint('unverified', 'At least one site is not verified yet.');
				return [siteToItem(latest, 'unverified')];
			},
		};
	},
};

const headlines = {
	added: 'Added',
	existing: 'Already there:',
	unverified: 'Not verified yet:',
};

/** Builds the item of a site: the service's record, `outcome`, and `message` as one sentence. */
function siteToItem(site: IDataObject, outcome: keyof typeof headlines): IDataObject {
	const details = joinParts(formatSite(site.url ?? site.id), withLabel('niche', quote(site.niche)));
	const message = `${headlines[outcome]} ${details || 'a site'}`;
	return Object.assign({ message }, deepCopy(site), { outcome, message });
}

function getSiteUrl(parameters: ParameterReader): string {
	const text = parameters.string(url);
	if (isAbsoluteSiteUrl(text)) return text;
	throw parameters.invalid(
		url,
		text,
		'a complete web address with https:// or http:// at the front, for example https://blog.example.com',
	);
}
