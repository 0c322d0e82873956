// Which way imports point. CONTRIBUTING.md has the map of it, and says what is in each folder.

const folders = [
	'nodes',
	'credentials',
	'sandbox',
	'playground',
	'probe',
	'scripts',
	'bench',
	'test',
];

/** @param {string} names */
const inFolders = (names) => ({ path: `^(${names})/` });

/**
 * A folder and the only folders of this project that it may import from.
 *
 * @param {string} from
 * @param {string} allowed
 * @param {string} comment
 * @returns {import('dependency-cruiser').IForbiddenRuleType}
 */
const mayOnlyImport = (from, allowed, comment) => ({
	name: `${from.replaceAll('|', '-and-')}-imports`,
	severity: 'error',
	comment,
	from: inFolders(from),
	to: { path: `^(${folders.join('|')})/`, pathNot: `^(${allowed})/` },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			name: 'no-cycle',
			severity: 'error',
			comment: 'A file that needs itself: move what both need into a file of its own.',
			from: {},
			to: { circular: true },
		},
		{
			name: 'no-unresolved',
			severity: 'error',
			comment: 'There is no such file or package.',
			from: {},
			// The first ones are in n8n's own installation; those of vitest are there, and not found.
			to: { couldNotResolve: true, pathNot: '^(bcryptjs|n8n/.*|vitest/(config|node))$' },
		},
		mayOnlyImport('nodes', 'nodes', 'What ships shares no code with what does not.'),
		mayOnlyImport('credentials', 'credentials', 'What ships shares no code with what does not.'),
		mayOnlyImport('sandbox', 'sandbox', 'The sandbox is the service: it knows nothing of n8n.'),
		mayOnlyImport('scripts', 'scripts', 'Scripts run before anything else is there.'),
		mayOnlyImport('playground', 'playground|sandbox|scripts', 'The playground needs no tests.'),
		mayOnlyImport('probe', 'probe|nodes|sandbox', 'The probe needs no tests.'),
		{
			name: 'nodes-packages',
			severity: 'error',
			comment:
				"Only n8n-workflow and Node's crypto are certain to be there in an installed package.",
			from: inFolders('nodes|credentials'),
			to: {
				dependencyTypesNot: ['local'],
				pathNot: '^(crypto|node:crypto|node_modules/n8n-workflow/.*)$',
			},
		},
		{
			name: 'nodes-apart',
			severity: 'error',
			comment: 'What two nodes share is in nodes/shared.',
			from: { path: '^nodes/([^/]+)/', pathNot: '^nodes/shared/' },
			to: { path: '^nodes/', pathNot: '^nodes/(shared|$1)/' },
		},
		{
			name: 'nodes-shared',
			severity: 'error',
			comment: 'nodes/shared knows none of the nodes.',
			from: { path: '^nodes/shared/' },
			to: { path: '^nodes/', pathNot: '^nodes/shared/' },
		},
		...['words', 'service', 'reading', 'fields'].map((room, index, rooms) => ({
			name: `nodes-shared-${room}`,
			severity: /** @type {const} */ ('error'),
			comment: 'In nodes/shared: the files beside the rooms ← words ← service ← reading ← fields.',
			from: inFolders(`nodes/shared/${room}`),
			to: inFolders(
				rooms
					.slice(index + 1)
					.map((later) => `nodes/shared/${later}`)
					.join('|') || 'nothing',
			),
		})),
		{
			name: 'nodes-shared-beside-the-rooms',
			severity: 'error',
			comment: 'What everybody needs imports no room.',
			from: { path: '^nodes/shared/[^/]+$' },
			to: { path: '^nodes/shared/[^/]+/' },
		},
		{
			name: 'playground-n8n',
			severity: 'error',
			comment: 'playground/n8n is a library: it knows neither the playground nor the sandbox.',
			from: { path: '^playground/n8n/' },
			to: { path: '^(playground|sandbox)/', pathNot: '^playground/n8n/' },
		},
		{
			name: 'built-nodes',
			severity: 'error',
			comment:
				'Only vitest runs nodes/ as it is: whatever Node itself may run requires the built files.',
			from: { ...inFolders('test|bench|probe|playground'), pathNot: '^test/unit/|\\.test\\.mts$' },
			to: { ...inFolders('nodes|credentials'), dependencyTypesNot: ['type-only', 'type-import'] },
		},
		{
			name: 'unit-tests',
			severity: 'error',
			comment: 'A unit test looks at one file of nodes/; what needs the sandbox is an engine test.',
			from: inFolders('test/unit'),
			to: inFolders('sandbox|playground'),
		},
		...['store', 'wire', 'service', 'api', 'control', 'dashboard'].map((name, index, layers) => ({
			name: `sandbox-${name}`,
			severity: /** @type {const} */ ('error'),
			comment:
				'In the sandbox: store ← wire ← service ← api and control; the dashboard only asks over HTTP.',
			from: inFolders(`sandbox/${name}`),
			to: inFolders(
				layers
					.filter(
						(other, at) =>
							at > index ||
							(name === 'control' && other === 'api') ||
							(name === 'dashboard' && at < index),
					)
					.map((other) => `sandbox/${other}`)
					.join('|') || 'nothing',
			),
		})),
	],
	options: {
		exclude: '^playground/data/',
		doNotFollow: { path: 'node_modules' },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.dev.json' },
		enhancedResolveOptions: { extensions: ['.ts', '.mts', '.mjs', '.cjs', '.js', '.json'] },
	},
};
