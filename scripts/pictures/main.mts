/**
 * Command line: `npm run pictures [-- name …]` takes these pictures of the documentation, or all of
 * them.
 */
import '../endWithNpm.mts';

import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { workflowNames } from '../../sandbox/start/n8n/workflowFiles.mts';
import { takeCanvases } from './canvases.mts';
import { takeScreens } from './screens.mts';

const folder = path.resolve(import.meta.dirname, '../../docs/pictures');
const screens = ['offers', 'would-accept', 'accepted', 'event', 'sandbox'];
const known = [...screens, ...workflowNames];

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
const canvases = workflowNames.filter(wanted);
if (canvases.length > 0) {
	await takeCanvases(canvases, (name) => path.join(folder, 'workflows', `${name}.png`));
}
