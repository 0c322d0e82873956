// One hand for all code, and strict rules for what does not ship. What ships (nodes/, credentials/) is linted with n8n's own
// rules in eslint.config.mjs, which n8n's strict mode fixes to the letter; here it gets the style of the rest.
import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

/** The sandbox's dashboard. */
const browserScripts = 'sandbox/dashboard/page/*.js';

/** @type {import('eslint').Linter.Config} */
const style = {
	plugins: { 'simple-import-sort': simpleImportSort },
	rules: {
		curly: ['error', 'multi-line'],
		eqeqeq: 'error',
		'simple-import-sort/imports': 'error',
		'simple-import-sort/exports': 'error',
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
				selector: 'TSParameterProperty',
				message: 'Declare a field (#name when it is private) and set it in the constructor.',
			},
		],
	},
};

export default defineConfig(
	{ ignores: ['dist', 'node_modules', 'playground/data*'] },
	{
		files: ['**/*.{mts,mjs,cjs}', '.prettierrc.js', browserScripts],
		extends: [js.configs.recommended, tseslint.configs.strictTypeChecked],
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
			// The type check looks after this, in JavaScript as well.
			'no-undef': 'off',
		},
	},
	{
		files: ['**/*.{mts,mjs,cjs}', browserScripts, '{nodes,credentials}/**/*.ts'],
		extends: [style],
		languageOptions: { parser: tseslint.parser },
	},
);
