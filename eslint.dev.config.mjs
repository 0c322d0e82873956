// One hand for all code, and strict rules for what does not ship. What ships (nodes/, credentials/)
// is linted with n8n's own rules in eslint.config.mjs, which n8n's strict mode fixes to the letter;
// here it gets the style of the rest.
import { defineConfig } from 'eslint/config';
import * as regexp from 'eslint-plugin-regexp';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

/** The sandbox's dashboard. */
const browserScripts = 'sandbox/dashboard/*.js';

/** What ships knows nothing of what does not, and a node nothing of another one. */
const outside = ['**/sandbox/**', '**/test/**', '**/scripts/**', '**/BacklinkExchange*/**'];

/**
 * The files and folders of nodes/shared: each imports only from its own line and from those above
 * it.
 */
const layers = [
	['utils'],
	['formatting'],
	['errors', 'errorMessages', 'logger'],
	['sites'],
	['transport'],
	['api'],
	['events'],
	['parameters'],
	['descriptions'],
	['methods'],
];

/**
 * Which way imports point: in nodes/, towards shared; there, up in `layers`; nodes/ and sandbox/
 * share no code.
 *
 * @param {string} files
 * @param {string[]} group what these files may not import, as it stands in an import
 * @returns {import('eslint').Linter.Config}
 */
const mayNotImport = (files, group) => ({
	files: [files],
	rules: {
		'no-restricted-imports': [
			'error',
			{ patterns: [{ group, message: 'Imports point one way: see CONTRIBUTING.md.' }] },
		],
	},
});

/** @type {import('eslint').Linter.Config} */
const style = {
	plugins: { 'simple-import-sort': simpleImportSort },
	rules: {
		curly: ['error', 'multi-line'],
		eqeqeq: 'error',
		'simple-import-sort/imports': 'error',
		'simple-import-sort/exports': 'error',
		'max-len': [
			'error',
			{ code: 1000, comments: 100, tabWidth: 2, ignoreUrls: true, ignorePattern: 'eslint-disable' },
		],
		'no-restricted-syntax': [
			'error',
			{
				selector: 'Program > FunctionDeclaration ~ ExportNamedDeclaration > FunctionDeclaration',
				message: 'Exported functions come first; functions that only they use come after them.',
			},
			{
				selector:
					':matches(PropertyDefinition, MethodDefinition[kind!="constructor"])[accessibility="private"]',
				message: 'Write #name instead of private name: then it is private at run time, too.',
			},
			{
				selector: 'MemberExpression[property.name="replyWithError"]',
				message:
					"Don't use replyWithError: on an https host, nock's error looks as if nothing was sent, so the nodes send an accept again. Let a server cut the connection (test/engine/stubServer.mts, or a simulated failure of the sandbox).",
			},
			{
				selector: 'TSParameterProperty',
				message: 'Declare a field (#name when it is private) and set it in the constructor.',
			},
		],
	},
};

export default defineConfig(
	{ ignores: ['dist', 'node_modules', 'sandbox/data*'] },
	{
		files: ['**/*.{mts,mjs,cjs}', '.prettierrc.js', browserScripts],
		extends: [tseslint.configs.strictTypeChecked],
		languageOptions: {
			parserOptions: {
				project: ['./tsconfig.dev.json', './sandbox/dashboard/tsconfig.json'],
				tsconfigRootDir: import.meta.dirname,
			},
		},
		rules: {
			// A number in a message reads best as it is.
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
			eqeqeq: 'error',
			// The reason of an AbortSignal has the type any.
			'@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingAny: true }],
		},
	},
	{
		files: ['**/*.{mts,mjs,cjs}', browserScripts, '{nodes,credentials}/**/*.ts'],
		extends: [style],
		languageOptions: { parser: tseslint.parser },
	},
	{
		// test/unit/regularExpressions.test.mts finds what backtracks exponentially, and what is built
		// at run time.
		files: ['{nodes,credentials}/**/*.ts'],
		plugins: { regexp },
		rules: {
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential' }],
		},
	},
	mayNotImport('{nodes,credentials}/**/*.ts', outside),
	...layers.map((layer, index) => {
		const laterLayers = layers.slice(index + 1).flat();
		const group = laterLayers.flatMap((name) => [`./${name}`, `../${name}`, `../${name}/*`]);
		return mayNotImport(`nodes/shared/{${layer.join(',')}}{.ts,/*.ts}`, [...outside, ...group]);
	}),
	mayNotImport('sandbox/**/*.mts', ['**/nodes/**', '**/test/**', 'n8n-*']),
);
