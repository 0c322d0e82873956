/**
 * Loads n8n's own packages as n8n does: as CommonJS, and only once.
 *
 * The ESM build of n8n-workflow does not load in Node.js, and a second copy would break
 * `instanceof`.
 */
import { mkdtempSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// n8n-core keeps its settings file there.
process.env.N8N_USER_FOLDER ??= mkdtempSync(path.join(tmpdir(), 'n8n-engine-'));

/**
 * Folder with the n8n-core of another version, with which CI runs the engine tests. By default,
 * this project's n8n-core is used.
 */
const otherVersion = process.env.N8N_CORE_FOLDER;
const require = createRequire(
	otherVersion ? path.join(otherVersion, 'package.json') : import.meta.url,
);

if (otherVersion !== undefined) {
	const parentURL = pathToFileURL(path.join(otherVersion, 'package.json')).href;
	const fromDependency = /\/node_modules\//;
	// The built package gets its n8n-workflow from n8n, as it does where it is installed.
	registerHooks({
		resolve: (specifier, context, next) =>
			specifier === 'n8n-workflow' && !fromDependency.test(context.parentURL ?? '')
				? next(specifier, { ...context, parentURL })
				: next(specifier, context),
	});
}

export const n8nCore = require('n8n-core') as typeof import('n8n-core');
export const n8nWorkflow = require('n8n-workflow') as typeof import('n8n-workflow');
