/**
 * npm run test:long -- mutation [options]: makes small changes to what ships (an operator, a condition, a dropped call), and says
 * which of them no test notices.
 *
 * Stryker makes the changes: all of them are built into one copy of the package, and a variable switches one on. Its own
 * runner starts the tests again for each, which takes hours because n8n's engine takes seconds to load; here each test runs
 * once as it is and then once for each change that it reaches and nothing has noticed yet, in one process (runner.mts).
 */
import { spawnSync } from 'node:child_process';
import {
	cpSync,
	globSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { Instrumenter } from '@stryker-mutator/instrumenter';
import typescript, { type TranspileOptions } from 'typescript';

import { buildIfChanged } from '../../scripts/build.mts';
import { randomNumbers } from '../randomNumbers.mts';
import type { Mutant, Verdicts } from './mutants.mts';

const { values: options } = parseArgs({
	options: {
		/** Which files are changed; a glob below nodes/. */
		files: { type: 'string', default: '**/*.ts' },
		/** Only changes at these places, written as the report writes them, and separated by commas. */
		at: { type: 'string', default: '' },
		/** How many of the changes are tried, drawn at random. */
		sample: { type: 'string', default: 'all' },
		seed: { type: 'string', default: '1' },
		/** Which tests run, and in which order: parts of their paths, separated by commas. */
		tests: { type: 'string', default: '' },
		/** Lists the tests, with the number of changes that each was the first to notice: where that is 0, others show the same. */
		'by-test': { type: 'boolean', default: false },
		/** After this time nothing further is tried. */
		minutes: { type: 'string', default: '20' },
	},
});

const root = path.resolve(import.meta.dirname, '../..');

/** Texts are left out: messages are read one by one, and the texts of the editor by n8n's lint. */
const excludedMutations = ['StringLiteral'];

const tests = options.tests.split(',').filter(Boolean);
const end = Date.now() + Number(options.minutes) * 60_000;
const places = options.at.split(',').filter(Boolean);

async function instrument(): Promise<{
	files: ReadonlyArray<{ name: string; content: string }>;
	mutants: Mutant[];
}> {
	const quiet = () => undefined;
	const no = () => false;
	const log = {
		...{ trace: quiet, debug: quiet, info: quiet },
		...{ warn: console.warn, error: console.error, fatal: console.error },
		...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no },
		...{ isWarnEnabled: no, isErrorEnabled: no, isFatalEnabled: no },
	};
	const files = globSync(`nodes/${options.files}`, { cwd: root }).map((name) => ({
		name,
		content: readFileSync(path.join(root, name), 'utf8'),
		mutate: true,
	}));
	const { files: changed, mutants } = await new Instrumenter(log).instrument(files, {
		plugins: null,
		excludedMutations,
		ignorers: [],
	});
	return {
		files: changed,
		mutants: mutants.filter((mutant) => mutant.status !== 'Ignored' && isChosen(mutant)),
	};
}

/** A copy of the project in which the changes are built in. */
function build(folder: string, files: ReadonlyArray<{ name: string; content: string }>): void {
	const left = new Set(['node_modules']);
	for (const name of globSync('*', { cwd: root })) {
		if (left.has(name)) continue;
		cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
	}
	symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
	const { config } = typescript.readConfigFile(path.join(root, 'tsconfig.json'), (file) =>
		readFileSync(file, 'utf8'),
	) as { config: TranspileOptions };
	for (const { name, content } of files) {
		writeFileSync(path.join(folder, name), content);
		// Types are not the question here.
		const { outputText } = typescript.transpileModule(content, config);
		writeFileSync(path.join(folder, 'dist', name.replace(/\.ts$/, '.js')), outputText);
	}
}

/** The same ones for the same seed. */
function draw(mutants: Mutant[], count: number, seed: number): Mutant[] {
	const random = randomNumbers(seed);
	return mutants
		.map((mutant) => ({ mutant, rank: random() }))
		.sort((one, other) => one.rank - other.rank)
		.slice(0, count)
		.map(({ mutant }) => mutant);
}

function report(mutants: Mutant[], verdicts: Verdicts): void {
	const { noticed, tried, doubtful, ofLoading } = verdicts;
	const loaded = mutants.filter(({ id }) => ofLoading.includes(id) && !(id in noticed));
	const decided = mutants.filter(
		(mutant) => !loaded.includes(mutant) && (mutant.id in noticed || tried.includes(mutant.id)),
	);
	const survivors = decided.filter(({ id }) => !(id in noticed));
	for (const mutant of survivors) console.log(describe(mutant));
	const left = mutants.filter((mutant) => !decided.includes(mutant) && !loaded.includes(mutant));
	for (const mutant of left) console.log(`not tried: ${describe(mutant)}`);
	for (const mutant of loaded) console.log(`not tried, while loading: ${describe(mutant)}`);
	if (options['by-test']) {
		for (const name of Object.values(verdicts.tests)) {
			const count = Object.values(noticed).filter((by) => by.startsWith(name)).length;
			console.log(`${count} first noticed by ${name}`);
		}
	}
	for (const name of doubtful) console.log(`Does not pass twice without a change: ${name}`);
	const count = decided.length - survivors.length;
	const share = ((100 * count) / Math.max(1, decided.length)).toFixed(1);
	console.log(
		`${count} of ${decided.length} changes noticed (${share} %). Not tried: ${loaded.length} that are made while a file is loaded, ${left.length} that no test came by in the time. ${doubtful.length} tests were not used, because they do not pass twice without a change.`,
	);
}

function describe(mutant: Mutant): string {
	const text = mutant.replacement.replace(/\s+/g, ' ').slice(0, 100);
	return `${placeOf(mutant)}  ${mutant.mutatorName}: ${text}`;
}

function placeOf({ fileName, location }: Pick<Mutant, 'fileName' | 'location'>): string {
	const { line, column } = location.start;
	return `${fileName}:${line + 1}:${column + 1}`;
}

function isChosen(mutant: Pick<Mutant, 'fileName' | 'location'>): boolean {
	return places.length === 0 || places.some((place) => `${placeOf(mutant)}:`.includes(`${place}:`));
}

buildIfChanged();
const folder = mkdtempSync(path.join(tmpdir(), 'backlink-exchange-mutation-'));
try {
	const { files, mutants: all } = await instrument();
	const count = options.sample === 'all' ? all.length : Number(options.sample);
	const mutants = draw(all, count, Number(options.seed));
	console.log(`${mutants.length} of ${all.length} changes are tried (seed ${options.seed}).`);
	build(folder, files);
	const verdicts = path.join(folder, 'verdicts.json');
	const ids = mutants.map(({ id }) => id);
	let found: Verdicts = {
		...{ ids, noticed: {}, tried: [], ofLoading: [], doubtful: [], files: [], tests: {} },
		endings: 0,
	};
	// What quick tests notice need not be tried by those that check thousands of cases.
	for (const longest of [300, undefined]) {
		let endings: number;
		do {
			({ endings } = found);
			writeFileSync(verdicts, JSON.stringify({ ...found, longest }));
			spawnSync('vitest', ['run', '--config', 'test/mutation/vitest.config.mts', ...tests], {
				cwd: folder,
				stdio: ['ignore', 'inherit', 'inherit'],
				env: {
					...process.env,
					MUTATION_VERDICTS: verdicts,
					MUTATION_TESTS: options.tests,
					MUTATION_END: String(end),
				},
			});
			found = JSON.parse(readFileSync(verdicts, 'utf8')) as Verdicts;
			// A process that ended in the middle of a test is followed by another one.
		} while (found.current !== undefined || found.endings > endings);
	}
	report(mutants, found);
} finally {
	rmSync(folder, { recursive: true, force: true });
}
