/**
 * Command line: `npm run pictures [-- name …]` takes these pictures of the documentation, or all of
 * them.
 */
import '../endWithNpm.mts';

import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { workflowNames } from '../../sandbox/start/n8n/workflowFiles.mts';
import { takeCanvases, twoNodes } from './canvases.mts';
import { takeScreens } from './screens.mts';

const folder = path.resolve(import.meta.dirname, '../../docs/pictures');
const screens = ['offers', 'would-accept', 'accepted', 'event', 'sandbox'];
const canvases = [twoNodes, ...workflowNames];
const known = [...screens, ...canvases];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !known.includes(name));
if (unknown.length > 0) {
	throw new Error(`There is no picture ${unknown.join(', ')}. There are: ${known.join(', ')}.`);
}
const wanted = (name: string) => named.length === 0 || named.includes(name);
mkdirSync(path.join(folder, 'workflows'), { recursive: true });
if (screens.some(wanted)) {
	await takeScreens((name) => (wanted(name) ? path.join(folder, `${name}.png`) : undefined));
}
if (canvases.some(wanted)) {
	await takeCanvases(canvases.filter(wanted), (name) =>
		path.join(folder, name === twoNodes ? '' : 'workflows', `${name}.png`),
	);
}
