import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { readWholeList } from '../../../shared/reading/list';
import { siteName } from '../../../shared/site';
import { digest, type OutcomeLabel, partsByOutcome } from '../../../shared/words/digest';
import { type Explanation, isExplanation } from '../../../shared/words/explanation';
import { address, labelled, plain, quote, sentence, several } from '../../../shared/words/message';
import schema from '../../__schema__/v1.0.0/site/createMany.json';
import { output } from '../../commonOptions';
import type { Operation } from '../../operation';
import { outcomeUnknown } from '../exchange/accept/result';
import { siteCreator } from './createSite';
import { readSiteLines, type SiteLine } from './lines';

/** How many lines one run takes. */
const mostLines = 1000;
/** How many requests in a row end a run if nobody knows what became of them. */
const mostUnknown = 5;
/** The most characters of a reason in a message. */
const mostOfAReason = 300;

const sites: INodeProperties = {
	displayName: 'Sites',
	name: 'sites',
	type: 'string',
	typeOptions: { rows: 8 },
	required: true,
	default: '',
	placeholder: 'e.g. https://blog.example.com, gardening',
	description:
		'A line for each site: its address, then a comma, semicolon or tab, then its niche. Cells copied from a spreadsheet work as they are. Sites that the account has already are left as they are.',
};

/** The outcomes in the order of a digest. */
const labels: Array<OutcomeLabel<Outcome>> = [
	['unknown', 'outcome unknown', 'outcomes unknown'],
	['failed', 'failed'],
	['added', 'added'],
	['existing', 'already there'],
];

type Outcome = 'added' | 'existing' | 'failed' | 'unknown';

/** What became of a line. */
interface Result {
	line: SiteLine;
	outcome: Outcome;
	id?: unknown;
	reason?: string;
}

interface Input {
	lines: SiteLine[];
	isDigest: boolean;
}

/** POST /sites for each line (service-api.md, "Endpoints"), as the operation Create sends it. */
export const createMany: Operation<Input> = {
	value: 'createMany',
	name: 'Create Many',
	action: 'Create many sites',
	description: 'Add the sites of a text to the account, a line for each',
	output: schema,
	pattern:
		"Form or file → createMany with sites: expr('{{ $json.Sites }}'), lines such as 'https://blog.example, gardening'. output: 'digest': one item for the run. notSent has the lines to send again in sites.",
	fields: [sites, output],
	oneAtATime: true,
	read(settings) {
		const expected = `up to ${mostLines} lines, each with the address of a site and its niche, such as https://blog.example, gardening`;
		const lines = readSiteLines(settings.lines(sites));
		const isUsable = lines.some(({ problem }) => problem === undefined);
		if (!isUsable || lines.length > mostLines) {
			const [first] = lines;
			const received = isUsable ? several(lines.length, 'line') : (first?.text ?? '');
			throw settings.refuse(sites, received, expected);
		}
		return { lines, isDigest: settings.choice(output) === 'digest' };
	},
	begin({ context, connection }) {
		const createSite = siteCreator(context, connection);
		return {
			async handleAll(inputs) {
				const lines = numbered(inputs);
				const isDigest = inputs.some((input) => input.isDigest);
				const results: Result[] = [];
				const emit = (rest?: Rest) => async () =>
					await Promise.resolve(itemsOf(results, isDigest, rest));
				const list = await readWholeList(connection, 'sites');
				if (isExplanation(list)) return list;
				const known = new Map<string, Result>();
				let unknownInARow = 0;
				for (const [index, line] of lines.entries()) {
					const name = siteName(line.url);
					const same = known.get(name);
					if (line.problem !== undefined) {
						const reason = `${line.problem}: ${quote(line.text) ?? 'nothing that can be read'}`;
						results.push({ line, outcome: 'failed', reason });
						continue;
					}
					if (same !== undefined) {
						const outcome = same.outcome === 'added' ? 'existing' : same.outcome;
						const reason = `same as line ${same.line.line}`;
						results.push({ line, outcome, id: same.id, reason });
						continue;
					}
					const created = await createSite({ url: line.url, niche: line.niche });
					const isUnknown = isExplanation(created) && created.code === outcomeUnknown;
					unknownInARow = isUnknown ? unknownInARow + 1 : 0;
					if (isExplanation(created) && !isUnknown && created.failure !== undefined) {
						if (known.size === 0) return created;
						return emit({ lines: lines.slice(index), why: created });
					}
					const result = resultOf(line, created);
					known.set(name, result);
					results.push(result);
					if (unknownInARow === mostUnknown && isExplanation(created)) {
						return emit({ lines: lines.slice(index + 1), why: created });
					}
				}
				return emit();
			},
		};
	},
};

/** The lines of all input items, counted on from one to the next. */
function numbered(inputs: Input[]): SiteLine[] {
	let before = 0;
	return inputs.flatMap(({ lines }) => {
		const counted = lines.map((line) => ({ ...line, line: before + line.line }));
		before = counted.at(-1)?.line ?? before;
		return counted;
	});
}

function resultOf(
	line: SiteLine,
	created: { site: IDataObject; isNew: boolean } | Explanation,
): Result {
	if (!isExplanation(created)) {
		const { site, isNew } = created;
		return { line, outcome: isNew ? 'added' : 'existing', id: site.id };
	}
	const { code, message, description } = created;
	return code === outcomeUnknown
		? { line, outcome: 'unknown', reason: description }
		: { line, outcome: 'failed', reason: `${message}. ${description}` };
}

/** The lines that were not sent, and why. */
interface Rest {
	lines: SiteLine[];
	why: Explanation;
}

/** An item for each line and one for the rest, or one for all of them. */
function itemsOf(results: Result[], isDigest: boolean, rest?: Rest): IDataObject[] {
	const notSent = rest && rest.lines.length > 0 ? [restItem(rest)] : [];
	const items = results.map(toItem);
	if (!isDigest) return [...items, ...notSent];
	const left = { label: 'not sent', items: notSent, count: rest?.lines.length ?? 0 };
	const made = digest([left, ...partsByOutcome(items, labels)]);
	return made === undefined ? [] : [made];
}

const headlines: Record<Outcome, string> = {
	added: 'Added',
	existing: 'Already there:',
	failed: 'Not added',
	unknown: 'It is not known whether it was added:',
};

function toItem({ line: { line, url, niche, problem }, outcome, id, reason }: Result): IDataObject {
	const site = sentence(address(url), labelled('niche', quote(niche)));
	const headline = problem === undefined ? `${headlines[outcome]} ${site}` : 'Not added';
	const why = reason === undefined ? '' : `: ${plain(reason, mostOfAReason)}`;
	const message = `${headline} (line ${line})${why}`;
	return { message, line, outcome, url, niche, ...(id !== undefined && { id: String(id) }) };
}

/** What was not sent, with its lines to paste again. */
function restItem({ lines, why: { message, description } }: Rest): IDataObject {
	const [first, last] = [lines[0]?.line ?? 0, lines.at(-1)?.line ?? 0];
	const which = first === last ? `Line ${first} was` : `Lines ${first} to ${last} were`;
	const said = `${which} not sent: ${message}. Paste them again from "sites" once that is over. ${description}`;
	const pasted = lines.map(({ text }) => text).join('\n');
	return {
		message: plain(said, 2 * mostOfAReason),
		line: first,
		outcome: 'notSent',
		sites: pasted,
	};
}
