/** The commit of a release passes its own tests: that README points at its tag, and another owner stands everywhere, breaks none of them. */
import path from 'node:path';

import { expect, it } from 'vitest';

import { runCommand } from '../../scripts/command.mjs';
import { sharedFolder } from '../untilTheTestEnds.mts';
import { rehearse } from './rehearsal.mts';

const folder = sharedFolder();

it('what the workflow packs passes the tests of documents, scripts, workflows and package', async () => {
	const [release] = rehearse(folder, ['0.1.0']);
	const tests = ['docs', 'scripts', 'package', 'playground', 'workflows'];
	const { code, output } = await runCommand(
		process.execPath,
		['scripts/test.mts', ...tests.map((name) => `test/${name}`)],
		{
			cwd: path.join(folder, '0.1.0'),
			env: { ...process.env, PACKED_PACKAGE: release?.tarball },
		},
	);
	expect(output.trimEnd().split('\n').at(-1), output).toMatch(/^[1-9]\d+ passed, 0 failed$/);
	expect(code).toBe(0);
}, 600_000);
