// Lint for what does not ship (*.mts, *.mjs). What ships is linted by eslint.config.mjs, which n8n's strict mode fixes to the letter.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
	{ ignores: ['dist', 'node_modules', 'playground/data'] },
	{
		files: ['**/*.mts'],
		extends: [js.configs.recommended, tseslint.configs.strictTypeChecked],
		languageOptions: {
			parserOptions: { project: './tsconfig.dev.json', tsconfigRootDir: import.meta.dirname },
		},
		rules: {
			// A number in a message reads best as it is.
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
			eqeqeq: 'error',
		},
	},
);
