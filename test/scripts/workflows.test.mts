/** What GitHub runs: a release with few rights, and one issue for a fault that stays. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { read, root } from '../repository.mts';
import { temporaryFolder } from '../untilTheTestEnds.mts';

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

	it.each(globSync('.github/workflows/*.yml', { cwd: root }))(
		'%s names actions by their commit',
		(file) => {
			const used = [...read(file).matchAll(/uses: (\S+)/g)].map(([, action]) => action);
			expect(used.filter((action = '') => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
		},
	);
});

describe('a nightly run that has failed', () => {
	/** @returns how the script called GitHub's command line to write, when the open issue is this one */
	function report(openIssue: string): string {
		const stand = `#!/bin/sh
case "$1 $2" in
'run view') echo '- npm run test:long -- fuzz' ;;
'issue list') printf '%s' "$OPEN_ISSUE" ;;
*) printf '%s\\n' "$@" >> "$WRITTEN" ;;
esac
`;
		const folder = temporaryFolder();
		const written = path.join(folder, 'written');
		writeFileSync(path.join(folder, 'gh'), stand, { mode: 0o755 });
		execFileSync('bash', [path.join(root, '.github/reportNightly.sh')], {
			env: {
				PATH: `${folder}:${process.env.PATH ?? ''}`,
				WRITTEN: written,
				OPEN_ISSUE: openIssue,
				RUN_ID: '1',
				RUN_URL: 'https://example.com/runs/1',
			},
		});
		return readFileSync(written, 'utf8');
	}

	const body = 'https://example.com/runs/1\n\n- npm run test:long -- fuzz\n';

	it('opens an issue', () => {
		const title = 'The nightly run has failed';
		expect(report('')).toBe(`issue\ncreate\n--title\n${title}\n--body\n${body}`);
	});

	it('is said in the issue that is open already', () => {
		expect(report('7')).toBe(`issue\ncomment\n7\n--body\n${body}`);
	});
});
