/** Since which n8n each ready-made workflow works: derived from its nodes, and said in its note and in the table. */
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import { readWorkflow, workflowNames } from '../../playground/n8n/workflowFiles.mts';
import { sinceOf } from '../../playground/n8n/workflowVersions.mts';

it.each(workflowNames)('%s says since which n8n it works', (name) => {
	const workflow = readWorkflow(name);
	const version = sinceOf(workflow);
	const readme = readFileSync('workflows/README.md', 'utf8');
	const row = readme.split('\n').find((line) => line.startsWith(`| [\`${name}.json\`]`));
	expect(row?.split('|').at(-2)?.trim(), name).toBe(version);
	if (version === '1.123') return;
	const about = workflow.nodes.find(({ name: node }) => node === 'About this workflow');
	expect(about?.parameters.content).toContain(`n8n ${version} or newer`);
});
