/**
 * n8n's own packages, loaded as n8n loads them: as CommonJS and once (the ESM build of n8n-workflow does not load in
 * Node.js, and a second copy would break `instanceof`).
 */
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

// n8n-core keeps its settings file there.
process.env.N8N_USER_FOLDER ??= mkdtempSync(path.join(tmpdir(), 'n8n-engine-'));

const require = createRequire(import.meta.url);
export const n8nCore = require('n8n-core') as typeof import('n8n-core');
export const n8nWorkflow = require('n8n-workflow') as typeof import('n8n-workflow');
