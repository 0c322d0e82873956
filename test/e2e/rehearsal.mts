/** docs/development/releasing.md, followed in a copy of this project: another owner, two releases, each packed and staged as publish.yml does it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { runCommand } from '../../scripts/command.mjs';
import { listFiles, read, root } from '../repository.mts';
import type { NpmRegistry } from './npmRegistry.mts';
import type { Release } from './releases.mts';

const repository = 'owner-of-the-rehearsal/nodes';
const owner = {
	repository: `https://github.com/${repository}`,
	author: { name: 'Somebody Else', email: 'somebody@else.org' },
	service: {
		homePage: 'https://exchange.else.org',
		documentation: 'https://exchange.else.org/docs',
		baseUrl: 'https://exchange.else.org/api',
	},
	undecided: [],
};
const git = {
	GIT_CONFIG_GLOBAL: '/dev/null',
	GIT_AUTHOR_NAME: 'Somebody Else',
	GIT_AUTHOR_EMAIL: 'somebody@else.org',
	GIT_COMMITTER_NAME: 'Somebody Else',
	GIT_COMMITTER_EMAIL: 'somebody@else.org',
};

/** Releases these versions, one after the other, and returns what the workflow would publish for each. */
export function rehearse(folder: string, versions: string[]): Release[] {
	const copy = join(folder, 'copy');
	const run = (cwd: string, command: string, args: string[], env: Record<string, string> = {}) =>
		execFileSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, ...git, ...env } });
	const script = (cwd: string, name: string, args: string[] = [], env = {}) =>
		run(cwd, process.execPath, [join(cwd, 'scripts/release', name), ...args], env);

	mkdirSync(copy, { recursive: true });
	for (const file of listFiles()) {
		cpSync(join(root, file), join(copy, file));
	}
	writeFileSync(join(copy, 'owner.json'), `${JSON.stringify(owner, null, '\t')}\n`);
	run(copy, 'git', ['init', '--quiet', '--initial-branch', 'main']);
	const prepareClone = (clone: string) => {
		symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
		writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
	};
	prepareClone(copy);
	script(copy, 'applyOwner.mts');

	return versions.map((version) => {
		const changelog = readFileSync(join(copy, 'CHANGELOG.md'), 'utf8');
		if (!changelog.includes('## Unreleased')) {
			const news = '## Unreleased\n\n### Added\n\n- Something.\n\n';
			writeFileSync(join(copy, 'CHANGELOG.md'), changelog.replace(/^(?=## )/m, news));
		}
		run(copy, 'git', ['add', '--all']);
		run(copy, 'git', ['commit', '--quiet', '--message', 'What is to be released']);
		script(copy, 'main.mts', [version]);

		// What the workflow does with the tag.
		const clone = join(folder, version);
		run(folder, 'git', [
			'clone',
			'--quiet',
			'--config',
			'advice.detachedHead=false',
			'--branch',
			version,
			copy,
			clone,
		]);
		prepareClone(clone);
		const workflow = { GITHUB_REF_NAME: version, GITHUB_REPOSITORY: repository };
		const packed = script(clone, 'main.mts', ['--pack'], workflow).trim();
		return { version, tarball: join(clone, packed) };
	});
}

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
