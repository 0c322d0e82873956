/** npm run pictures [-- name …]: takes the pictures that are out of date, those that are named, or with --all all of them. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { takeCanvases } from './canvases.mts';
import { folder, hashOf, pictureNames, readShown, shownFile } from './catalog.mts';
import { takeScreens } from './screens.mts';

const fileOf = (name: string) => path.join(folder, `${name}.png`);
const shown = existsSync(shownFile) ? readShown() : {};

function wanted(args: string[]): string[] {
	if (args.includes('--all')) return pictureNames;
	if (args.length === 0) {
		return pictureNames.filter((name) => shown[name] !== hashOf(name) || !existsSync(fileOf(name)));
	}
	const unknown = args.filter((name) => !pictureNames.includes(name));
	if (unknown.length === 0) return args;
	throw new Error(
		`There is no picture ${unknown.join(', ')}. There are: ${pictureNames.join(', ')}.`,
	);
}

const names = wanted(process.argv.slice(2));
const canvases = names.filter((name) => name.startsWith('workflows/'));
const screens = names.filter((name) => !canvases.includes(name));
mkdirSync(path.join(folder, 'workflows'), { recursive: true });
if (screens.length > 0) {
	await takeScreens((name) => (screens.includes(name) ? fileOf(name) : undefined));
}
if (canvases.length > 0) {
	const workflows = canvases.map((name) => path.basename(name));
	await takeCanvases(workflows, (name) => fileOf(`workflows/${name}`));
}
const taken = Object.fromEntries(names.map((name) => [name, hashOf(name)]));
const hashes = pictureNames
	.filter((name) => name in taken || name in shown)
	.map((name) => [name, taken[name] ?? shown[name]]);
writeFileSync(shownFile, `${JSON.stringify(Object.fromEntries(hashes), null, '\t')}\n`);
console.log(
	names.length === 0
		? 'All pictures are up to date.'
		: names.map((name) => `docs/pictures/${name}.png`).join('\n'),
);
