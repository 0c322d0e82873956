/** What has to be right before a version is released, in words; nothing when it is. */
import { contradictions, type Owner, problemsOf } from './owner.mts';

/** Semantic Versioning 2.0.0, sections 2 and 9; tags and npm know no leading `v` here. */
const semanticVersion =
	/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** What the changelog says below a heading: `Unreleased`, or `1.2.3 - 2026-12-31` for a version; undefined without one. */
export function releaseNotes(changelog: string, version: string): string | undefined {
	const isMeant = (heading = '') =>
		heading === version || /^(\S+) - \d{4}-\d{2}-\d{2}$/.exec(heading)?.[1] === version;
	const sections = changelog.split(/^## /m).slice(1);
	const section = sections.find((text) => isMeant(text.split('\n', 1)[0]?.trim()));
	return section?.split('\n').slice(1).join('\n').trim();
}

/** What the owner still has to decide or to mend. */
export function ownerProblems(root: string, owner: Owner): string[] {
	const problems = problemsOf(owner).map((problem) => `owner.json: ${problem}`);
	if (problems.length > 0) return problems;
	return [
		...owner.undecided.map((decision) => `Decide in owner.json: ${decision}.`),
		...[...contradictions(root, owner).keys()].map(
			(file) => `${file} says something else than owner.json: npm run owner`,
		),
	];
}

/**
 * What is to be put right before the commit of a release is made.
 * @param version the one to release, unless nobody has named it yet
 */
export function preparationProblems(
	commit: { changelog: string; changes: string[]; tags: string[]; branch: string },
	version?: string,
): string[] {
	const { changelog, changes, tags, branch } = commit;
	const problems: string[] = [];
	if (version !== undefined && !semanticVersion.test(version)) {
		return [`${version} is not a semantic version, such as 1.2.3.`];
	}
	const newer = tags.filter((tag) => semanticVersion.test(tag) && !isNewer(version ?? tag, tag));
	if (version !== undefined && newer.length > 0) {
		problems.push(`${version} is not newer than what is released: ${newer.join(', ')}.`);
	}
	if (branch !== 'main') problems.push(`This is the branch ${branch}: git switch main`);
	if (!releaseNotes(changelog, 'Unreleased')) {
		problems.push('CHANGELOG.md has nothing below "## Unreleased".');
	}
	if (changes.length > 0) {
		problems.push(`Commit or undo what has changed: ${changes.slice(0, 5).join(', ')}`);
	}
	return problems;
}

/**
 * What is to be put right before a tagged commit is packed, in the workflow that publishes it.
 * npm takes a provenance statement only from the repository that package.json names.
 */
export function publicationProblems(commit: {
	version: string;
	locked: string;
	changelog: string;
	tag: string | undefined;
	repository: string;
	/** `owner/name` of the repository in which the workflow runs. */
	running: string | undefined;
}): string[] {
	const { version, locked, changelog, tag, repository, running } = commit;
	const problems: string[] = [];
	if (tag !== version) {
		problems.push(`The tag is ${tag ?? 'missing'}, and package.json has ${version}.`);
	}
	if (locked !== version) {
		problems.push(`package-lock.json has ${locked}, package.json ${version}.`);
	}
	if (!releaseNotes(changelog, version)) {
		problems.push(`CHANGELOG.md has nothing below "## ${version} - <date>".`);
	}
	if (`https://github.com/${running ?? ''}`.toLowerCase() !== repository.toLowerCase()) {
		problems.push(`This is ${running ?? 'not GitHub'}, and package.json names ${repository}.`);
	}
	return problems;
}

/** Semantic Versioning 2.0.0, section 11, as far as npm's tag `latest` depends on it. */
function isNewer(one: string, other: string): boolean {
	const compare = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });
	const [release = '', candidate] = one.split(/-(.*)/s);
	const [otherRelease = '', otherCandidate] = other.split(/-(.*)/s);
	if (release !== otherRelease) return compare(release, otherRelease) > 0;
	if (candidate === undefined || otherCandidate === undefined) {
		return candidate !== otherCandidate && candidate === undefined;
	}
	return compare(candidate, otherCandidate) > 0;
}
