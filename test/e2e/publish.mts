/** A release, published with the command of publish.yml. */
import { join } from 'node:path';

import { runCommand } from '../../playground/n8n/command.mts';
import { read } from '../repository.mts';
import type { NpmRegistry } from './npmRegistry.mts';
import type { Release } from './releases.mts';

/** Stages a file with the command of publish.yml, but for the provenance statement, which only GitHub can sign; then approves it. */
export async function publish({ tarball }: Release, registry: NpmRegistry): Promise<void> {
	const workflow = read('.github/workflows/publish.yml');
	const [, command = 'there is none'] = /- run: (npm stage publish .*)$/m.exec(workflow) ?? [];
	const stage = command.replace('./release/*.tgz', '"$TARBALL"').replace(' --provenance', '');
	const env = { ...process.env, ...registry.environment, TARBALL: tarball, TAG: 'latest' };
	const run = async (line: string, variables = {}) => {
		const options = { cwd: join(tarball, '..'), env: { ...env, ...variables } };
		const { code, output } = await runCommand('bash', ['-c', line], options);
		if (code !== 0) throw new Error(`${line} needs npm 11.15 or newer:\n${output}`);
		return output;
	};
	const [, id = ''] = /staged with id (\S+)\)/.exec(await run(stage)) ?? [];
	await run('npm stage approve "$ID" --otp 123456', { ID: id });
}
