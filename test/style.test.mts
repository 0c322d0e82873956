/** What can be said of the code without running it; `npm run lint` says the same alone. */
import { expect, test } from 'vitest';

import { runCommand } from '../sandbox/start/n8n/command.mts';
import { root } from './repository.mts';

const cached = ['--cache', '--cache-strategy', 'content'];

test.each([
	['types', 'tsc', ['-p', 'tsconfig.dev.json']],
	['nothing that is not used', 'knip', []],
	['lint of n8n', 'n8n-node', ['lint']],
	['format', 'prettier', ['--check', '.', ...cached]],
	['lint', 'eslint', ['-c', 'eslint.dev.config.mjs', '.', ...cached]],
])('%s', { timeout: 600_000 }, async (_, command, args) => {
	const env = { ...process.env, CI: 'true', NO_COLOR: '1' };
	const { code, output } = await runCommand(command, args, { cwd: root, env });
	expect(code, output).toBe(0);
});
