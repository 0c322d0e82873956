/**
 * Checks that no text of the nodes, the sandbox or the ready-made workflows has a word that users
 * misread, or a second name for a thing that has one.
 */
import { globSync } from 'node:fs';

import ts from 'typescript';
import { expect, test } from 'vitest';

import { read } from '../repository.mts';

const dropped: Array<[RegExp, string]> = [
	[/\brefus(e|es|ed|al|ing)\b/i, 'blocks (a rule), declines (the service), rejects (the webhook)'],
	[/\bha(s|ve) to\b/i, 'must, or an imperative'],
	[/\b(cannot|(is|are|was|were|does|do|did|has|could) not)\b/i, 'a contraction'],
	[/\bat once\b/i, 'immediately, or at the same time'],
	[/\b(nobody|somebody|strangers?|whoever|a person)\b/i, 'you, someone, a third party'],
	[/\ban accept\b|\baccepts (are|is|has|have)\b/i, 'accepting an offer, accepted offers'],
	[/\bdashboard of the service\b/i, 'your dashboard'],
	[/\b(is|are|was|were) told\b/i, 'shows, returns, reports'],
	[/\bthe answer of\b|\banswered (with )?HTTP\b/i, 'response'],
	[/\b(mend|anew|beside|rightly|seldom)\b/i, 'fix, again, in addition, correctly, rarely'],
	[/\bit is not known\b/i, "couldn't …"],
	[/\bwatchdog event(s)?\b/i, 'alert'],
	[/\bexchange (requested|accepted|published|broken)\b/i, 'the label of the event'],
];

/** Returns the texts of at least three words in the string and template literals of a source. */
function getTexts(file: string): string[] {
	const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
		if (ts.isStringLiteralLike(node)) texts.push(node.text);
		if (ts.isTemplateExpression(node)) {
			texts.push(
				[node.head, ...node.templateSpans.map((span) => span.literal)]
					.map(({ text }) => text)
					.join('…'),
			);
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return texts.filter((text) => text.trim().split(/\s+/).length >= 3);
}

/** Returns the texts of the sticky notes and fields of a workflow. */
function getWorkflowTexts(file: string): string[] {
	const texts: string[] = [];
	JSON.parse(read(file), (_, value: unknown) => {
		if (typeof value === 'string') texts.push(value);
		return value;
	});
	return texts;
}

function findDropped(texts: string[]): string[] {
	return texts.flatMap((text) =>
		dropped.flatMap(([pattern, better]) => {
			const match = pattern.exec(text);
			return match === null ? [] : [`“${match[0]}” in “${text.slice(0, 200)}”: use ${better}`];
		}),
	);
}

const sources = globSync('{nodes,credentials,sandbox}/**/*.{ts,mts}').sort();

test('texts are found in sources and workflows', () => {
	expect(sources.flatMap(getTexts).length).toBeGreaterThan(500);
	expect(globSync('workflows/*.json').flatMap(getWorkflowTexts).length).toBeGreaterThan(500);
});

test('a dropped word is found in each kind of text', () => {
	expect(
		findDropped(['The service refused it', 'It has to be a number', 'It cannot be read']),
	).toHaveLength(3);
});

test.each(sources)('%s has no dropped word in its texts', (file) => {
	expect(findDropped(getTexts(file))).toEqual([]);
});

test.each(globSync('workflows/*.json').sort())('%s has no dropped word', (file) => {
	expect(findDropped(getWorkflowTexts(file))).toEqual([]);
});
