/** What has to be right before a version is published. Nothing here reads or changes anything by itself. */

export interface Finding {
	title: string;
	/** `to do`: a step of the release that has not been taken; `wrong`: things contradict each other. */
	state: 'ok' | 'to do' | 'wrong';
	/** What is there, and what to do about it. */
	detail: string;
}

/** Semantic Versioning 2.0.0, section 2 and 9; tags and npm know no leading `v` here. */
const semanticVersion =
	/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** @param locked the version in package-lock.json */
export function checkVersion(version: string, locked: string): Finding {
	const title = `package.json and package-lock.json agree on a version`;
	if (!semanticVersion.test(version)) {
		return { title, state: 'wrong', detail: `${version} is not a semantic version.` };
	}
	if (locked !== version) {
		const detail = `${version} and ${locked}. Set both with "npm version --no-git-tag-version <version>".`;
		return { title, state: 'wrong', detail };
	}
	return { title, state: 'ok', detail: version };
}

/** What the changelog says below the heading of a version, `## 1.2.3 - 2026-12-31`; undefined when there is none. */
export function releaseNotes(changelog: string, version: string): string | undefined {
	return sectionOf(changelog, (heading) => {
		const [, name] = /^(\S+) - \d{4}-\d{2}-\d{2}$/.exec(heading) ?? [];
		return name === version;
	});
}

export function checkChangelog(changelog: string, version: string): Finding {
	const title = `CHANGELOG.md tells of ${version}`;
	const unreleased = sectionOf(changelog, (heading) => heading === 'Unreleased');
	const released = releaseNotes(changelog, version);
	if (released === undefined) {
		return unreleased
			? { title, state: 'to do', detail: `Rename "Unreleased" to "${version} - <date>".` }
			: {
					title,
					state: 'wrong',
					detail: `It has neither "## ${version} - <date>" nor "## Unreleased".`,
				};
	}
	if (released === '') {
		return { title, state: 'wrong', detail: 'There is nothing below its heading.' };
	}
	if (unreleased) {
		const detail = `"Unreleased" has entries as well. They belong to ${version}, or to a higher version.`;
		return { title, state: 'wrong', detail };
	}
	return { title, state: 'ok', detail: `${released.split('\n').length} lines` };
}

/**
 * @param here the tags of the commit
 * @param all all tags that are known
 */
export function checkTag(version: string, here: string[], all: string[]): Finding {
	const title = `the commit has the tag ${version}`;
	const others = here.filter((tag) => semanticVersion.test(tag) && tag !== version);
	if (others.length > 0) {
		const detail = `It has ${others.join(', ')}, and package.json says ${version}.`;
		return { title, state: 'wrong', detail };
	}
	if (here.includes(version)) return { title, state: 'ok', detail: '' };
	if (all.includes(version)) {
		return {
			title,
			state: 'wrong',
			detail: 'Another commit has it: this version needs a new number.',
		};
	}
	return { title, state: 'to do', detail: `"git tag ${version}" when everything else is done.` };
}

/** @param changes the lines of `git status --porcelain`; undefined where this is no clone */
export function checkWorkingTree(changes: string[] | undefined): Finding {
	const title = 'what is published is committed';
	if (changes === undefined) return { title, state: 'to do', detail: 'This is no clone.' };
	if (changes.length === 0) return { title, state: 'ok', detail: '' };
	const detail = `${changes.length} files are not: ${changes.slice(0, 5).join(', ')}`;
	return { title, state: 'to do', detail };
}

/** @param undecided what of owner.json is still a placeholder, with its files */
export function checkOwner(undecided: string[], contradicting: string[]): Finding {
	const title = 'the owner has decided on repository, author and contact';
	if (contradicting.length > 0) {
		return {
			title,
			state: 'wrong',
			detail: `${contradicting.join('; ')}. "npm run owner" writes them anew.`,
		};
	}
	if (undecided.length === 0) return { title, state: 'ok', detail: '' };
	const detail = `Placeholders: ${undecided.join('; ')}. See docs/releasing.md.`;
	return { title, state: 'to do', detail };
}

/**
 * npm accepts a provenance statement only from the repository that package.json names.
 * @param running `owner/name` of the repository that the workflow runs in, if it runs on GitHub
 */
export function checkRepository(repository: string, running: string | undefined): Finding {
	const title = 'the workflow runs in the repository that package.json names';
	if (running === undefined) {
		return { title, state: 'to do', detail: 'It runs on GitHub, when a tag is pushed.' };
	}
	return repository.toLowerCase() === `https://github.com/${running}`.toLowerCase()
		? { title, state: 'ok', detail: running }
		: { title, state: 'wrong', detail: `${repository}, and this is ${running}.` };
}

/** The text below the first heading of the changelog that fits, up to the next one; undefined when there is none. */
function sectionOf(changelog: string, fits: (heading: string) => boolean): string | undefined {
	const sections = changelog.split(/^## /m).slice(1);
	const section = sections.find((text) => fits((text.split('\n', 1)[0] ?? '').trim()));
	return section?.split('\n').slice(1).join('\n').trim();
}
