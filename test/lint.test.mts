/** What `npm run lint` says is a test among the others, so that it runs beside them. */
import { expect, it } from 'vitest';

import { runCommand } from '../sandbox/start/n8n/command.mts';
import { root } from './repository.mts';

it('lint, types, format, imports and unused code', { timeout: 600_000 }, async () => {
	// Where it reads "test", as vitest sets it, n8n's lint takes every file for one of its own tests.
	const env = { ...process.env, NODE_ENV: undefined };
	const { code, output } = await runCommand('npm', ['run', '--silent', 'lint'], { cwd: root, env });
	expect(code, output).toBe(0);
});
