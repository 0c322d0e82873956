import type { INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { resultOrThrow } from '../../../shared/explanation';
import type { Operation, Run } from '../../operation';
import { createSite } from './createSite';
import { waitUntilVerified } from './verification';

const fields: INodeProperties[] = [
	{
		displayName: 'URL',
		name: 'url',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. https://blog.example.com',
		description: 'Address of the site, with https:// or http://',
	},
	{
		displayName: 'Niche',
		name: 'niche',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. gardening',
		description: 'Category label of the site. The service does not publish which values it allows.',
	},
];

const options: INodeProperties[] = [
	{
		displayName: 'Verification Timeout',
		name: 'verificationTimeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description:
			'How many seconds to wait for the verification at most. The site is returned in any case, with what the service says of it by then.',
		displayOptions: { show: { waitForVerification: [true] } },
	},
	{
		displayName: 'Wait for Verification',
		name: 'waitForVerification',
		type: 'boolean',
		default: false,
		description:
			'Whether to wait until the service has verified the site, which it does some time after the site was added',
	},
];

/** POST /sites (service-api.md, "Endpoints"); the service then verifies the site asynchronously. */
export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create site',
	description: 'Add a site to the account',
	fields,
	options,
	begin(run) {
		return async (itemIndex) => {
			const { url, niche } = readSite(run, itemIndex);
			const result = await createSite(run.connection, url, niche);
			const created = resultOrThrow(run.context.getNode(), result, itemIndex);

			const option = (name: string, fallback: boolean | number) =>
				run.context.getNodeParameter(`options.${name}`, itemIndex, fallback);
			if (option('waitForVerification', false) !== true) return [created.site];
			const timeout = Number(option('verificationTimeout', 300));
			const checked = await waitUntilVerified(run.connection, created.site, timeout);
			if (checked.verified !== true) {
				run.hint('unverified', 'At least one site was added but is not verified yet.');
			}
			return [checked];
		};
	},
};

function readSite({ context }: Run, itemIndex: number): { url: string; niche: string } {
	const url = String(context.getNodeParameter('url', itemIndex, '')).trim();
	const niche = String(context.getNodeParameter('niche', itemIndex, '')).trim();
	const refuse = (message: string, description: string) =>
		new NodeOperationError(context.getNode(), message, { itemIndex, description });
	if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) {
		throw refuse(
			'The URL of the site is not a complete web address',
			'Enter it with https:// or http:// at the front, for example https://blog.example.com.',
		);
	}
	if (niche === '') {
		throw refuse(
			'The niche is empty',
			'Enter a category label for the site, for example gardening.',
		);
	}
	return { url, niche };
}
