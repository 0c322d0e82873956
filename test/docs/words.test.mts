/** One vocabulary for what users read: words that are not ours, and the word that is. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** What must not be said, and what is said instead. */
const instead: Array<[notOurs: RegExp, ours: string]> = [
	[/\b(tell|tells|told|telling) (?!apart\b|otherwise\b)(?![^.;]* from\b)/i, 'say, notify or send'],
	[/\b(each|another|one|first|last|next|every) look\b|\blooks again\b/i, 'poll or check'],
	[/\b(giv|tak|com|put|hand)\w* out\b(?! of)/i, 'emit or return'],
	[/\bhand(s|ed|ing)? (it |them |each )?on\b/i, 'call or pass'],
	[/\banew\b/i, 'again, or restart'],
	[/\b(lower|upper|your|the|of) bounds?\b|\bbound (how|the|it)\b/i, 'limit'],
	[/\bnews\b/i, 'notification'],
	[/\bnarrow(s|ed|ing)? down\b/i, 'filter'],
	[/\bso many credits\b/i, 'at least this many credits'],
	[/^(Is|Are|Does|Has|Have|Had|Should|Were) [^?]*[^?]$/m, 'a sentence with "if"'],
];

const documents = globSync(
	['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'workflows/*.md'],
	{ cwd: root },
);
const workflows = globSync('workflows/*.json', { cwd: root });
const sources = globSync(['nodes/**/*.ts', 'credentials/*.ts'], { cwd: root });

/** What a file shows to a user: a document as a whole, of sources the texts of at least three words. */
function textsOf(file: string): string[] {
	const content = readFileSync(path.join(root, file), 'utf8');
	if (file.endsWith('.md')) return content.replace(/```[^]*?```|`[^`]*`/g, '').split('\n');
	if (file.endsWith('.json')) {
		return [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text);
	}
	const code = content.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
	const literals = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)];
	return literals
		.map(([, single, template]) => single ?? template ?? '')
		.filter((text) => text.trim().split(/\s+/).length > 2);
}

it.each([...documents, ...workflows, ...sources])('%s says it in our words', (file) => {
	const found = textsOf(file).flatMap((text) =>
		instead
			.filter(([notOurs]) => notOurs.test(text))
			.map(([notOurs, ours]) => `"${notOurs.exec(text)?.[0] ?? ''}" (${ours}): ${text.trim()}`),
	);
	expect(found).toEqual([]);
});

it('finds each of the words', () => {
	for (const text of [
		'Slack is told when',
		'with each look of it',
		'what the node puts out',
		'hands it on',
		'start n8n anew',
		'bound how many',
		'the news',
		'can be narrowed down to',
		'keeps so many credits',
		'Is Slack down, it waits',
	]) {
		expect(
			instead.some(([notOurs]) => notOurs.test(text)),
			text,
		).toBe(true);
	}
});
