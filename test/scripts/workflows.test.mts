/** What GitHub runs: commands that exist, and one issue for a fault that stays. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

it.each([
	...globSync('.github/workflows/{nightly,publish}.yml', { cwd: root }),
	'.ci/run',
	'CONTRIBUTING.md',
])('%s runs only commands of this project that exist', (file) => {
	const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
	const named = [...read(file).matchAll(/\bnpm run ([a-z][\w:]*)/g)].map(([, name]) => name);
	expect(named.length).toBeGreaterThan(0);
	expect(named.filter((name = '') => !(name in scripts))).toEqual([]);
});

describe('a nightly run that has failed', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(path.join(tmpdir(), 'nightly-'));
	});
	afterEach(() => {
		rmSync(folder, { recursive: true });
	});

	/** @returns how the script called GitHub's command line to write, when the open issue is this one */
	function report(openIssue: string): string {
		const stand = `#!/bin/sh
case "$1 $2" in
'run view') echo '- npm run fuzz' ;;
'issue list') printf '%s' "$OPEN_ISSUE" ;;
*) printf '%s\\n' "$@" >> "$WRITTEN" ;;
esac
`;
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

	const body = 'https://example.com/runs/1\n\n- npm run fuzz\n';

	it('opens an issue', () => {
		const title = 'The nightly run has failed';
		expect(report('')).toBe(`issue\ncreate\n--title\n${title}\n--body\n${body}`);
	});

	it('is said in the issue that is open already', () => {
		expect(report('7')).toBe(`issue\ncomment\n7\n--body\n${body}`);
	});
});
