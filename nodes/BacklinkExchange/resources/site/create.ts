import type { INodeProperties } from 'n8n-workflow';

import { resultOrThrow } from '../../../shared/explanation';
import type { Settings } from '../../../shared/settings';
import type { Operation } from '../../operation';
import { createSite } from './createSite';
import { VerificationWatch } from './verification';

const url: INodeProperties = {
	displayName: 'URL',
	name: 'url',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://blog.example.com',
	description: 'Address of the site, with https:// or http://',
};

const niche: INodeProperties = {
	displayName: 'Niche',
	name: 'niche',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. gardening',
	description: 'Category label of the site. The service does not publish which values it allows.',
};

const verificationTimeout: INodeProperties = {
	displayName: 'Verification Timeout',
	name: 'verificationTimeout',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 86_400 },
	default: 300,
	description:
		'How many seconds to wait for the verification at most. The site is returned in any case, with what the service says of it by then.',
	displayOptions: { show: { waitForVerification: [true] } },
};

const waitForVerification: INodeProperties = {
	displayName: 'Wait for Verification',
	name: 'waitForVerification',
	type: 'boolean',
	default: false,
	description:
		'Whether to wait until the service has verified the site, which it does some time after the site was added',
};

interface NewSite {
	url: string;
	niche: string;
	/** Seconds to wait for the verification; undefined not to wait. */
	wait?: number;
}

/** POST /sites (service-api.md, "Endpoints"); the service then verifies the site asynchronously. */
export const create: Operation<NewSite> = {
	value: 'create',
	name: 'Create',
	action: 'Create site',
	description: 'Add a site to the account',
	fields: [url, niche],
	options: [verificationTimeout, waitForVerification],
	read(settings) {
		const options = settings.collection();
		const timeout = options.number(verificationTimeout);
		return {
			url: readUrl(settings),
			niche: settings.text(niche),
			...(options.boolean(waitForVerification) && { wait: timeout }),
		};
	},
	begin({ context, connection, hint }) {
		const verification = new VerificationWatch(connection);
		const handle = async (site: NewSite, itemIndex: number) => {
			const result = await createSite(connection, site.url, site.niche);
			const created = resultOrThrow(context.getNode(), result, itemIndex);
			if (site.wait === undefined) return [created.site];
			const checked = await verification.wait(created.site, site.wait);
			if (checked.verified !== true) {
				hint('unverified', 'At least one site was added but is not verified yet.');
			}
			return [checked];
		};
		return { handle };
	},
};

function readUrl(settings: Settings): string {
	const text = settings.text(url);
	if (/^https?:\/\/[^/]/i.test(text) && URL.canParse(text)) return text;
	throw settings.refuse(
		url,
		text,
		'a complete web address with https:// or http:// at the front, for example https://blog.example.com',
	);
}
