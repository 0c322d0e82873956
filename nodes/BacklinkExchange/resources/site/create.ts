import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { resourceLocator } from '../../../shared/descriptions/resourceLocator';
import { formatSite, joinWords, quote, withLabel } from '../../../shared/formatting/message';
import type { ParameterReader } from '../../../shared/parameters/parameterReader';
import { getUrlKey, isIpAddress, parseSiteName } from '../../../shared/sites/siteUrl';
import { trimInvisible } from '../../../shared/utils/text';
import outputSchema from '../../__schema__/v1.0.0/site/create.json';
import { getOptionalNumber } from '../../commonOptions';
import { withLeadingFields } from '../../helpers/withLeadingFields';
import type { Operation } from '../../operation.types';
import { createSiteCreator, type NewSite } from './siteCreator';
import { waitForVerification } from './waitForVerification';

const url: INodeProperties = {
	displayName: 'URL',
	name: 'url',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://blog.example.com',
	description: 'URL of the site. Without https:// or http://, the node adds https://.',
};

const niche = resourceLocator({
	displayName: 'Niche',
	name: 'niche',
	required: true,
	description:
		"Topic of the site. Choose one that your sites have, or enter another one. The service doesn't document which niches it accepts.",
	searchListMethod: 'searchNiches',
	placeholder: 'Select a niche…',
	manualModes: [{ displayName: 'By Name', name: 'name', placeholder: 'e.g. gardening' }],
});

const waitForVerificationField: INodeProperties = {
	displayName: 'Wait for Verification (Seconds)',
	name: 'waitForVerification',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 86_400 },
	default: '',
	placeholder: 'e.g. 300',
	description:
		"Maximum number of seconds to wait until the service has verified the site. If this is empty, the node doesn't wait.",
};

interface Input extends NewSite {
	/** 0: don't wait for verification. */
	waitSeconds: number;
}

/** POST /sites (service-api.md, "Endpoints"); the service then verifies the site asynchronously. */
export const create: Operation<Input> = {
	value: 'create',
	name: 'Create',
	action: 'Create site',
	description: 'Create a new site, or get it if it exists',
	outputSchema,
	usageHint:
		"It adds one site per input item: connect it to splitOut, googleSheets or extractFromFile, and set onError: 'continueRegularOutput'. The outcome can be 'unverified' only with options { waitForVerification }.",
	properties: [url, niche],
	options: [waitForVerificationField],
	getParameters(parameters) {
		const options = parameters.collection();
		return {
			url: getSiteUrl(parameters),
			niche: parameters.string(niche),
			waitSeconds: getOptionalNumber(options, waitForVerificationField, 0),
		};
	},
	createHandler({ context, client, hint }) {
		const createSite = createSiteCreator(context, client);
		return {
			async executeItem({ waitSeconds, ...input }) {
				const result = await createSite(input);
				const { site } = result;
				const outcome = result.isNew ? 'added' : 'existing';
				if (waitSeconds === 0) return [siteToItem(site, outcome)];
				const latest = await waitForVerification(client, site, waitSeconds);
				if (latest.verified === true) return [siteToItem(latest, outcome)];
				hint(
					'unverified',
					"At least one site is in your account, but the service hasn't verified it yet. Check it later with 'Get Many', or in your dashboard.",
				);
				return [siteToItem(latest, 'unverified')];
			},
		};
	},
};

const headlines = {
	added: 'Site added',
	existing: 'Site already in your account',
	unverified: 'Site in your account, but not verified yet',
};

/** Builds the item of a site: `message`, `outcome`, and the service's record. */
function siteToItem(site: IDataObject, outcome: keyof typeof headlines): IDataObject {
	const details = joinWords(
		formatSite(site.url ?? site.id),
		withLabel('with the niche', quote(site.niche)),
	);
	const message = `${headlines[outcome]}: ${details || 'a site'}.`;
	return withLeadingFields({ message, outcome }, deepCopy(site));
}

function getSiteUrl(parameters: ParameterReader): string {
	const text = trimInvisible(parameters.string(url));
	const siteUrl = parseSiteUrl(text);
	if (siteUrl !== undefined) return siteUrl;
	throw parameters.invalid(
		url,
		withoutUserInfo(text),
		'the URL of a site',
		'Leave out a username or password. For example, enter https://blog.example.com.',
	);
}

/**
 * Parses the URL of a site and adds a missing scheme.
 *
 * @returns `undefined` if it isn't the URL of a site
 */
function parseSiteUrl(text: string): string | undefined {
	if (isAbsoluteSiteUrl(text)) return text;
	const url = parseSiteName(text)?.url;
	// Browsers read the number 3.5 as the host 3.0.0.5.
	const isHost = url !== undefined && !isIpAddress(url.host);
	const withScheme = `https://${text}`;
	return isHost && isAbsoluteSiteUrl(withScheme) ? withScheme : undefined;
}

/** Returns whether the text is the URL of a site, with its scheme, and without a user name. */
function isAbsoluteSiteUrl(text: string): boolean {
	const hasUserInfo = withoutUserInfo(text) !== text;
	return /^https?:\/\/[^/]/i.test(text) && getUrlKey(text) !== undefined && !hasUserInfo;
}

/** Removes the user name and password of a URL, so that they appear in no message. */
function withoutUserInfo(url: string): string {
	return url
		.replace(/^([a-z][a-z\d+.-]*:[\\/]+)[^/?#\\]*@/i, '$1')
		.replace(/^[^/?#\\@:]*:[^/?#\\]*@/, '');
}
