/**
 * The pictures of the documentation, and what each one shows of this repository. docs/pictures/shown.json keeps a hash of what
 * it showed when it was taken; when that has changed since, `npm test` says so, and `npm run pictures` takes it again.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { INodeProperties, INodeType, INodeTypeDescription } from 'n8n-workflow';

import { readWorkflow, workflowNames } from '../../../playground/n8n/workflowFiles.mts';

const root = path.resolve(import.meta.dirname, '../../..');

/** Where the pictures are. */
export const folder = path.join(root, 'docs/pictures');

/** Written by `npm run pictures`: a hash for each picture. */
export const shownFile = path.join(folder, 'shown.json');

/** By the name of the picture, without the ending; each gives what the picture shows. */
const catalog: Record<string, () => unknown> = {
	offers: () => panelOf('accept'),
	'would-accept': () => panelOf('acceptMany'),
	accepted: () => panelOf('acceptMany'),
	event: () => panelOfPolling(),
	sandbox: () => dashboardSection('start'),
	...Object.fromEntries(
		workflowNames.map((name) => [`workflows/${name}`, () => canvas(name)] as const),
	),
};

/** The names of all pictures; a slash stands for a folder. */
export const pictureNames = Object.keys(catalog);

/** A hash of what the picture shows now. */
export function hashOf(picture: string): string {
	const shows = catalog[picture];
	if (shows === undefined) throw new Error(`There is no picture "${picture}".`);
	return createHash('sha256').update(JSON.stringify(shows())).digest('hex').slice(0, 16);
}

/** The hashes of when the pictures were taken. */
export function readShown(): Record<string, string> {
	return JSON.parse(readFileSync(shownFile, 'utf8')) as Record<string, string>;
}

/** The description of a node, as it is built. */
function describe(name: string): INodeTypeDescription {
	const file = path.join(root, 'dist/nodes', name, `${name}.node.js`);
	const loaded = createRequire(import.meta.url)(file) as Record<string, new () => INodeType>;
	const node = loaded[name];
	if (node === undefined) throw new Error(`${file} has no class ${name}`);
	return new node().description;
}

/** What the editor draws of a field before it is touched; a notice is its text. */
function drawn({ displayName, type, default: value, placeholder }: INodeProperties): unknown {
	return { displayName, type, value, placeholder };
}

/** Without n8n's own field: its loader, in another test of the same process, adds that to the node's description. */
function panelOfPolling(): unknown {
	const { properties } = describe('BacklinkExchangeTrigger');
	return properties.filter(({ name }) => name !== 'pollTimes').map(drawn);
}

/** The panel of the action node, with an operation on exchanges. */
function panelOf(wanted: string): unknown {
	const fields = describe('BacklinkExchange').properties.filter(({ displayOptions }) => {
		const { resource = ['exchange'], operation = [wanted] } = displayOptions?.show ?? {};
		return resource.includes('exchange') && operation.includes(wanted);
	});
	return fields.map(drawn);
}

/** A section of the dashboard's page. */
function dashboardSection(id: string): unknown {
	const page = readFileSync(path.join(root, 'sandbox/dashboard/page/index.html'), 'utf8');
	const start = page.indexOf(`<section id="section-${id}">`);
	const navigation = page.slice(page.indexOf('<nav'), page.indexOf('</nav>'));
	return { navigation, section: page.slice(start, page.indexOf('</section>', start)) };
}

/** What n8n draws of a workflow: nodes, notes and lines. */
function canvas(name: string): unknown {
	const { nodes, connections } = readWorkflow(name);
	const drawnNodes = nodes.map(({ parameters, ...node }) => {
		const { resource, operation } = parameters;
		const seen = node.type.endsWith('.stickyNote') ? parameters : { resource, operation };
		// Undefined: not to be seen.
		return { ...node, id: undefined, typeVersion: undefined, seen };
	});
	return { nodes: drawnNodes, connections };
}
