// The settings of n8n's own code base, so that a reviewer reads what she is used to.
module.exports = {
	useTabs: true,
	tabWidth: 2,
	printWidth: 100,
	singleQuote: true,
	semi: true,
	trailingComma: 'all',
	bracketSpacing: true,
	arrowParens: 'always',
	quoteProps: 'as-needed',
	endOfLine: 'lf',
};
