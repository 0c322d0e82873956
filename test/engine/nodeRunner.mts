/** Runs the operations of the action node with one credential. */
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeListSearchItems,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';

import type * as listSearch from '../../nodes/shared/methods/listSearch.ts';
import { TestCredentials } from './credentials.mts';
import {
	actionType,
	additionalDataFor,
	createWorkflow,
	credentialType,
	newNode,
	type NodeRun,
	type NodeRunOptions,
	runNode,
} from './engine.mts';
import { n8nCore } from './n8n.mts';

interface RunOptions extends Partial<Omit<NodeRunOptions, 'parameters'>> {
	parameters?: INodeParameters;
}

/** An ID, an expression for one, or an input item whose `id` is the ID. */
type Offer = string | (IDataObject & { id: string }) | { id: string };

export interface Site extends IDataObject {
	url: string;
	niche?: string;
}

export interface NodeRunner {
	run: (resource: string, operation: string, options?: RunOptions) => Promise<NodeRun>;
	/** Accepts one offer, or one per item. */
	accept: (
		offers: Offer | readonly Offer[],
		options?: INodeParameters,
		more?: RunOptions,
	) => Promise<AcceptRun>;
	/** Accepts all pending offers by default. */
	acceptMany: (settings?: object, more?: RunOptions) => Promise<AcceptRun>;
	/** Adds one site, or one per item; the niche is "gardening" by default. */
	create: (
		sites: Site | readonly Site[],
		options?: INodeParameters,
		more?: RunOptions,
	) => Promise<NodeRun>;
	/**
	 * Returns the entries of a list as the editor gets them, of the action node by default, with the
	 * user's search text.
	 */
	search: (
		method: keyof typeof listSearch,
		typed?: string,
		type?: string,
	) => Promise<INodeListSearchItems[]>;
	/** Returns the sites for a field in which users select several of them. */
	loadSites: (type?: string) => Promise<INodePropertyOptions[]>;
}

/** Result of an accept run. */
export interface AcceptRun extends NodeRun {
	/** JSON of each output item. */
	decisions: IDataObject[];
	/** JSON of the first output item. */
	item: IDataObject | undefined;
	outcomes: unknown[];
	/** Message and description of the error. */
	text: string;
}

export function createNodeRunner(credential: ICredentialDataDecryptedObject): NodeRunner {
	const run: NodeRunner['run'] = async (resource, operation, { parameters, ...options } = {}) =>
		await runNode({
			credential,
			...options,
			parameters: { resource, operation, ...parameters },
		});
	return {
		run,
		accept: async (offers, options, more) => {
			const isOne = typeof offers === 'string' || !Array.isArray(offers);
			const one = typeof offers === 'string' ? offers : (offers as { id?: string }).id;
			const items = [offers]
				.flat()
				.map((offer: Offer) => (typeof offer === 'string' ? { id: offer } : { ...offer }));
			const parameters = acceptParameters(isOne ? one : undefined, options);
			return withOutcomes(
				await run('exchange', 'accept', { ...(!isOne && { items }), ...more, parameters }),
			);
		},
		acceptMany: async (settings, more) => {
			const parameters = {
				...{ acceptFrom: 'anyone', allowedPartners: '', dryRun: false, options: {} },
				...settings,
			};
			return withOutcomes(await run('exchange', 'acceptMany', { ...more, parameters }));
		},
		create: async (sites, options = {}, more) => {
			const niche = 'gardening';
			const itemParameters = { url: '={{ $json.url }}', niche: '={{ $json.niche }}', options };
			const parameters = 'url' in sites ? { niche, ...sites, options } : itemParameters;
			const items = [sites].flat().map((site: Site) => ({ niche, ...site }));
			return await run('site', 'create', { items, ...more, parameters });
		},
		search: async (method, typed, type = actionType) => {
			const { methods, context } = createEditorContext(type, credential);
			return (await methods?.listSearch?.[method]?.call(context, typed))?.results ?? [];
		},
		loadSites: async (type = actionType) => {
			const { methods, context } = createEditorContext(type, credential);
			return (await methods?.loadOptions?.getSites?.call(context)) ?? [];
		},
	};
}

/**
 * Returns parameters to accept an exchange ID, or an expression for it. Dry Run is a field.
 */
export function acceptParameters(
	id = '={{ $json.id }}',
	{ dryRun = false, ...options }: INodeParameters = {},
): INodeParameters {
	return { exchangeId: { __rl: true, mode: 'id', value: id }, dryRun, options };
}

/** Returns this many sites that no other test uses. */
export function newSites(count: number): Site[] {
	return Array.from({ length: count }, (_, index) => ({ url: `https://site-${index}.example` }));
}

export function getJson(run: NodeRun): IDataObject[] {
	return run.items.map(({ json }) => json);
}

/** Creates the context in which n8n fills a list of the editor. */
function createEditorContext(type: string, credential: ICredentialDataDecryptedObject) {
	const { workflow, node } = createWorkflow(newNode('Backlink Exchange', type, {}));
	const data = additionalDataFor(new TestCredentials(credentialType, credential));
	const context = new n8nCore.LoadOptionsContext(workflow, node, data, '');
	return { methods: workflow.nodeTypes.getByNameAndVersion(type).methods, context };
}

function withOutcomes(run: NodeRun): AcceptRun {
	const decisions = getJson(run);
	const { message = '', description = '' } = run.error ?? {};
	const outcomes = decisions.map(({ outcome }) => outcome);
	return { ...run, decisions, item: decisions[0], outcomes, text: `${message} ${description}` };
}
