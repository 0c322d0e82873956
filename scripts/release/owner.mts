/**
 * What only the owner of this project can decide stands in owner.json. `npm run owner` writes it wherever it is repeated, and
 * `npm test` compares all these places.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Owner {
	/** Its address on GitHub, without `.git`; provenance ties a release to it. */
	repository: string;
	/** Who answers for the package, and where people write to in private. */
	author: { name: string; email: string };
	/** The service that the nodes are for; the base URL as service-api.md defines it. */
	service: { homePage: string; documentation: string; baseUrl: string };
	/** What above is still a placeholder: nothing is released before this is empty. */
	undecided: string[];
}

interface Manifest {
	homepage: string;
	bugs: object;
	author: object;
	repository: { url: string };
}

const texts = ['{**,.github/**}/*.{md,json,ts,mts,mjs,cjs,yml,sh}', '.ci/run'];
const left = ['**/node_modules/**', 'dist/**', 'playground/data*/**', 'release/**'];
/** RFC 2606: nobody can own these names. */
const reserved = /[@./]example\.(com|net|org)\b|\.(example|invalid|test|localhost)\b/;

export function readOwner(root: string): Owner {
	return JSON.parse(readFileSync(join(root, 'owner.json'), 'utf8')) as Owner;
}

/** What cannot be right in owner.json, in words. */
export function problemsOf(owner: Owner): string[] {
	const lacking = lackingIn(owner, shape);
	if (lacking.length > 0) return lacking.map((name) => `There is no text as "${name}".`);
	const { repository, author, service, undecided } = owner;
	const decisions = { repository, author, service };
	const problems = Object.entries(decisions)
		.filter(([name, value]) => reserved.test(JSON.stringify(value)) && !undecided.includes(name))
		.map(([name]) => `"${name}" has a placeholder, and is not among "undecided".`);
	for (const name of undecided) {
		if (!(name in decisions)) problems.push(`"undecided" names "${name}", which is no decision.`);
	}
	if (!/^https:\/\/github\.com\/[\w-]+\/[\w.-]+(?<!\.git)$/.test(repository)) {
		problems.push(`"repository" is not like https://github.com/owner/name: ${repository}`);
	}
	if (!/^\S(.*\S)?$/.test(author.name)) problems.push('"author" has no name on one line.');
	if (!/^[^\s<>"]+@[^\s<>"]+$/.test(author.email)) {
		problems.push(`"author" has no email address: ${author.email}`);
	}
	for (const [name, address] of Object.entries(service)) {
		if (!/^https:\/\/[^\s'"`<>()|\\]+$/.test(address)) {
			problems.push(`"service" has no https address as "${name}": ${address}`);
		}
	}
	if (!service.baseUrl.endsWith('/api')) problems.push('"baseUrl" does not end with /api.');
	return problems;
}

/** Writes the decisions wherever they are repeated. */
export function applyOwner(root: string, owner: Owner): void {
	for (const [file, text] of contradictions(root, owner)) writeFileSync(join(root, file), text);
}

/**
 * The files that say something else than owner.json, each with the text that it should have.
 * @throws Error when a file has no place for a decision that it should repeat
 */
export function contradictions(root: string, owner: Owner): Map<string, string> {
	const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
	const written = repository.url.replace(/^git\+https:\/\/github\.com\/|\.git$/g, '');
	const mentions = new RegExp(
		`(?<=\\bgithub(usercontent)?\\.com/)${written.replaceAll('.', '\\.')}(?![\\w-])`,
		'g',
	);
	const name = owner.repository.replace('https://github.com/', '');
	const found = new Map<string, string>();
	for (const file of globSync(texts, { cwd: root, exclude: left }).sort()) {
		if (file === 'owner.json') continue;
		const text = readFileSync(join(root, file), 'utf8');
		const special = places[file];
		const renamed = text.replace(mentions, () => name);
		const right = special === undefined ? renamed : special(renamed, owner);
		if (right !== text) found.set(file, right);
	}
	return found;
}

/** What is repeated beside the repository's address, which may stand anywhere. */
const places: Record<string, (text: string, owner: Owner) => string> = {
	'package.json': (text, { repository, author }) => {
		const manifest = JSON.parse(text) as Manifest;
		manifest.homepage = repository;
		manifest.bugs = { url: `${repository}/issues`, email: author.email };
		manifest.author = author;
		manifest.repository.url = `git+${repository}.git`;
		return `${JSON.stringify(manifest, null, '\t')}\n`;
	},
	'LICENSE.md': (text, { author }) => put(text, /(?<=^Copyright \(c\) \d{4} ).+$/m, author.name),
	'credentials/BacklinkExchangeApi.credentials.ts': (text, { service }) =>
		put(text, /(?<=placeholder: 'e\.g\. )https:[^']+/, service.baseUrl),
	'README.md': (text, { service }) => {
		const homePage = put(text, /(?<=^\[service\]: ).+$/m, service.homePage);
		const both = put(homePage, /(?<=^\[service documentation\]: ).+$/m, service.documentation);
		return put(both, /(?<=<!-- base URL -->`)[^`]+/, service.baseUrl);
	},
};

/** Everything that is asked for in owner.json. */
const shape = {
	repository: '',
	author: { name: '', email: '' },
	service: { homePage: '', documentation: '', baseUrl: '' },
};

/** The texts that the other value has and this one does not, by their names. */
function lackingIn(value: unknown, wanted: object): string[] {
	const given = (value ?? {}) as Record<string, unknown>;
	return Object.entries(wanted).flatMap(([name, example]: [string, unknown]) => {
		if (typeof example === 'object' && example !== null) {
			return lackingIn(given[name], example).map((inner) => `${name}.${inner}`);
		}
		return typeof given[name] === 'string' ? [] : [name];
	});
}

function put(text: string, place: RegExp, value: string): string {
	if (!place.test(text)) throw new Error(`There is no place for ${value} (${place.source}).`);
	return text.replace(place, () => value);
}
