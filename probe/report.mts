/**
 * What the probe found out. A report holds shapes only: no key, no address, no site, no anchor, no id, no message of the service. So it
 * can be pasted into a public issue, and the sandbox can take it as a dialect.
 */
import type { Dialect } from '../sandbox/dialects.mts';

/** How the package gets on with what was seen. */
export type Verdict =
	/** As the service's description says, or one of the ways that the package was made for. */
	| 'supported'
	/** It works, but less well; the finding says what does not. */
	| 'tolerated'
	/** The package cannot work with it. */
	| 'not supported'
	/** Nothing was there that would have shown it. */
	| 'not seen';

export interface Finding {
	/** Short name of what was asked, such as "exchanges: list shape". */
	question: string;
	/** Shapes, formats and names of fields only. */
	seen: string;
	verdict: Verdict;
}

export interface Observation extends Finding {
	/** The dialect settings that make the sandbox answer like this. */
	dialect?: Partial<Dialect>;
}

export interface Report {
	/** Version of this format. */
	probe: 1;
	findings: Finding[];
	/** The settings that `npm run sandbox -- --dialect <this file>` takes. */
	dialect: Partial<Dialect>;
}

export function reportOf(observations: Observation[]): Report {
	return {
		probe: 1,
		findings: observations.map(({ question, seen, verdict }) => ({ question, seen, verdict })),
		dialect: Object.assign(
			{},
			...observations.map(({ dialect }) => dialect ?? {}),
		) as Partial<Dialect>,
	};
}

const marks: Record<Verdict, string> = {
	supported: '✓ supported    ',
	tolerated: '~ tolerated    ',
	'not supported': '✗ not supported',
	'not seen': '· not seen     ',
};

/** One finding as a line of text. */
export function lineOf({ question, seen, verdict }: Finding): string {
	const remedy = verdict === 'not supported' ? ' Please report this.' : '';
	return `${marks[verdict]}  ${question}: ${seen}${remedy}`;
}

/**
 * Names of fields and codes as they may stand in a report: letters, and underscores between them. Anything else (an id or a host name
 * used as a key) is only counted.
 */
export function safeNames(names: string[]): string {
	const safe = names.filter((name) => /^[A-Za-z]+(?:_[A-Za-z]+)*$/.test(name) && name.length <= 40);
	const others = names.length - safe.length;
	const shown = safe.sort().slice(0, 40);
	if (others > 0) shown.push(`${others} with unusual names`);
	return shown.join(', ') || 'none';
}
