/** What a release writes into the documents that are published or that name the version. */

/** The changelog with the version and the day as the heading of what is unreleased. */
export function datedChangelog(changelog: string, version: string, day: string): string {
	return changelog.replace(/^## Unreleased$/m, () => `## ${version} - ${day}`);
}

/**
 * README.md as it is published: what holds only until the first release is gone, its own file is named, and the addresses of
 * files and pictures carry the tag, so that npm's page of this version stays right (decision 0011).
 */
export function publishedReadme(readme: string, version: string): string {
	return withFile(readme, version)
		.replace(/<!-- until the first release -->.*?<!-- until here -->\n*/gs, '')
		.replace(/(?<=\/(blob|tree)\/)HEAD(?=\/)/g, version)
		.replace(/(?<=\/\/raw\.githubusercontent\.com\/[\w.-]+\/[\w.-]+\/)HEAD(?=\/)/g, version);
}

/** README.md as it goes on after a release: its addresses follow the main branch again. */
export function nextReadme(readme: string, version: string): string {
	const escaped = version.replaceAll('.', '\\.');
	return readme.replace(
		new RegExp(
			`(?<=/(blob|tree)/|//raw\\.githubusercontent\\.com/[\\w.-]+/[\\w.-]+/)${escaped}(?=/)`,
			'g',
		),
		'HEAD',
	);
}

/** A document that names the file of the package, with the file of this version. */
export function withFile(text: string, version: string): string {
	return text.replace(/(?<=n8n-nodes-backlink-exchange-)\d[\w.-]*(?=\.tgz)/g, version);
}
