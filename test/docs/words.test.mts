/** One vocabulary for what users read: words that are not ours, and the word that is. */
import { globSync } from 'node:fs';

import { expect, it } from 'vitest';

import { read, root } from '../repository.mts';

/** What must not be said, and what is said instead. */
const instead: Array<[notOurs: RegExp, ours: string]> = [
	[/\b(tell|tells|told|telling) (?!apart\b|otherwise\b)(?![^.;]* from\b)/i, 'say, notify or send'],
	[/\b(each|another|one|two|first|last|next|every) looks?\b/i, 'poll or check'],
	[/\blooks? (again|at|first|until|whether|in|it)\b|\blooking at\b/i, 'check'],
	[/\b(giv|tak|com|put|hand)\w* out\b(?! of)/i, 'emit or return'],
	[/\bhand(s|ed|ing)? (it |them |each )?on\b/i, 'call or pass'],
	[/\banew\b/i, 'again, or restart'],
	[/\b(lower|upper|your|the|of) bounds?\b|\bbound(s|ed)?\b(?! to\b)/i, 'limit'],
	[/(?<!exchange[- ])\bnews\b/i, 'notification'],
	[/\bnarrow(s|ed|ing)?\b[^.;]* down\b/i, 'filter'],
	[/\bputs? (it |them |that |this )?right\b/i, 'fix'],
	[/\bthere (already|yet before)\b/i, 'already there, or existing'],
	[/\bmay yet\b/i, 'may still'],
	[/\bbeforehand\b/i, 'in advance'],
	[/\bin (the )?place of\b/i, 'instead of'],
	[/\ball the same\b/i, 'anyway, or still'],
	[/\bin upper or lower case\b/i, 'upper and lower case are the same'],
	[/\b(second|another) tr(y|ies)\b/i, 'retry'],
	[/\bcounts for itself\b/i, 'has a count of its own'],
	[/\bHow many \w+ to (wait|accept|work)\b/i, 'maximum number of'],
	[
		// But where a document quotes the service's description.
		/(?<!^> .*)behaviour|recognis|criticis|\blicence|defence|labelled|cancell(ed|ing)\b/i,
		'American spelling, as in n8n',
	],
	[/\b(in|of|during) the last days\b/i, 'recently, or lately'],
	[/\bso many credits\b/i, 'at least this many credits'],
	[/^(Is|Are|Does|Has|Have|Had|Should|Were) [^?]*[^?]$/m, 'a sentence with "if"'],
];

const documents = globSync(
	['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'workflows/*.md'],
	{ cwd: root },
);
const workflows = globSync('workflows/*.json', { cwd: root });
const sources = globSync(
	['nodes/**/*.ts', 'credentials/*.ts', '{playground,sandbox,probe,scripts}/**/*.{mts,mjs,html}'],
	{ cwd: root },
);

/** What a file shows to a user: a document as a whole, of sources the texts of at least three words. */
function textsOf(file: string): string[] {
	const content = read(file);
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
