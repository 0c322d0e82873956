/**
 * What only the owner of this project can decide stands in owner.json. Every place that repeats it is listed here, is
 * written by `npm run owner`, and is compared by `npm test`.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

type Decision = 'repository' | 'author' | 'contact';

export interface Owner {
	/** Its address on GitHub, without `.git`; provenance ties a release to it. */
	repository: string;
	author: { name: string; email: string };
	/** Where people write to in private. */
	contact: string;
	/** What is still a placeholder: nothing is published before this is empty. */
	undecided: Decision[];
}

/** A place that repeats a decision. */
interface Place {
	file: string;
	decision: Decision;
	/** Matches the text that stands there, each time that it does. */
	pattern: RegExp;
	/** What has to stand there. */
	value: string;
}

export function readOwner(): Owner {
	return JSON.parse(readFileSync(join(root, 'owner.json'), 'utf8')) as Owner;
}

/** The places that say something else than owner.json, or nothing at all. */
export function contradictions(owner: Owner): string[] {
	return placesOf(owner).flatMap(({ file, decision, pattern, value }) => {
		const found = readFileSync(join(root, file), 'utf8').match(pattern) ?? [];
		if (found.length === 0) return [`${file} does not name the ${decision} (${pattern.source})`];
		return found
			.filter((text) => text !== value)
			.map((text) => `${file} has ${text} for the ${decision}, and owner.json has ${value}`);
	});
}

/** What is still a placeholder, with the files in which it stands. */
export function placeholders(owner: Owner): string[] {
	return owner.undecided.map((undecided) => {
		const files = placesOf(owner)
			.filter(({ decision }) => decision === undecided)
			.map(({ file }) => file);
		return `${undecided}: owner.json, ${[...new Set(files)].join(', ')}`;
	});
}

/** Writes the decisions wherever they are repeated. */
export function applyOwner(owner: Owner): void {
	for (const { file, pattern, value } of placesOf(owner)) {
		const path = join(root, file);
		writeFileSync(
			path,
			readFileSync(path, 'utf8').replace(pattern, () => value),
		);
	}
}

function placesOf({ repository, author, contact }: Owner): Place[] {
	const manifest = (decision: Decision, pattern: RegExp, value: string): Place => ({
		file: 'package.json',
		decision,
		pattern,
		value,
	});
	const documentation = globSync('nodes/*/*.node.json', { cwd: root }).sort();
	return [
		manifest('repository', /(?<="homepage": ")[^"]*/g, repository),
		manifest('repository', /(?<="bugs": \{\s*"url": ")[^"]*/g, `${repository}/issues`),
		manifest('repository', /(?<="repository": \{[^}]*"url": ")[^"]*/g, `git+${repository}.git`),
		manifest('contact', /(?<="bugs": \{[^}]*"email": ")[^"]*/g, contact),
		manifest('author', /(?<="author": \{\s*"name": ")[^"]*/g, author.name),
		manifest('author', /(?<="author": \{[^}]*"email": ")[^"]*/g, author.email),
		{
			file: 'README.md',
			decision: 'repository',
			pattern: /https:\/\/github\.com\/[^/\s]+\/[^/\s]+(?=\/blob\/HEAD\/)/g,
			value: repository,
		},
		{
			file: 'README.md',
			decision: 'repository',
			pattern: /https:\/\/raw\.githubusercontent\.com\/[^/\s]+\/[^/\s]+(?=\/HEAD\/)/g,
			value: repository.replace('//github.com/', '//raw.githubusercontent.com/'),
		},
		{
			file: 'LICENSE.md',
			decision: 'author',
			pattern: /(?<=Copyright \(c\) \d{4} ).+/g,
			value: author.name,
		},
		{
			file: 'credentials/BacklinkExchangeApi.credentials.ts',
			decision: 'repository',
			pattern: /(?<=')https:[^'#]*(?=#credentials')/g,
			value: repository,
		},
		...documentation.map((file): Place => {
			return {
				file,
				decision: 'repository',
				pattern: /(?<="url": ")[^"#]*(?=#)/g,
				value: repository,
			};
		}),
	];
}
