import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { outputModeField } from '../../../shared/descriptions/outputMode';
import { type ErrorResult, isErrorResult, outcomeUnknownCode } from '../../../shared/errors';
import { digest, type DigestLabel, groupByLabel } from '../../../shared/formatting/digest';
import {
	formatSite,
	joinParts,
	pluralize,
	quote,
	sanitize,
	withLabel,
} from '../../../shared/formatting/message';
import { normalizeSite } from '../../../shared/utils/site';
import schema from '../../__schema__/v1.0.0/site/createMany.json';
import type { Operation } from '../../operation.types';
import { parseSiteLines, type SiteLine } from './parseSiteLines';
import { type Created, createSiteCreator } from './siteCreator';

/** How many lines one run takes. */
const maxLines = 1000;
/** How many requests in a row end a run if nobody knows what became of them. */
const maxConsecutiveUnknown = 5;
/** The most characters of a reason in a message. */
const maxReasonLength = 300;

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
const labels: Array<DigestLabel<Outcome>> = [
	['unknown', 'outcome unknown', 'outcomes unknown'],
	['failed', 'failed'],
	['added', 'added'],
	['existing', 'already there'],
];

type Outcome = 'added' | 'existing' | 'failed' | 'unknown';

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
	outputSchema: schema,
	usageHint:
		"Form or file → createMany with sites: expr('{{ $json.Sites }}'), lines such as 'https://blog.example, gardening'. output: 'digest': one item for the run. notSent has the lines to send again in sites.",
	properties: [sites, outputModeField],
	sequential: true,
	getParameters(parameters) {
		const expected = `up to ${maxLines} lines, each with the address of a site and its niche, such as https://blog.example, gardening`;
		const lines = parseSiteLines(parameters.lines(sites));
		const isUsable = lines.some(({ problem }) => problem === undefined);
		if (!isUsable || lines.length > maxLines) {
			const [first] = lines;
			const received = isUsable ? pluralize(lines.length, 'line') : (first?.text ?? '');
			throw parameters.invalid(sites, received, expected);
		}
		return { lines, isDigest: parameters.option(outputModeField) === 'digest' };
	},
	createHandler({ context, client }) {
		const createSite = createSiteCreator(context, client);
		return {
			async executeItems(inputs) {
				const list = await fetchList(client, 'sites');
				if (isErrorResult(list)) return list;
				const lines = numbered(inputs);
				const items: IDataObject[] = [];
				const known = new Map<string, IDataObject>();
				let unknownInARow = 0;
				/** Why the lines from this one on are not sent. */
				let end: { from: number; error: ErrorResult } | undefined;
				for (const [index, line] of lines.entries()) {
					if (line.problem !== undefined) {
						const quotedLine = quote(line.text) ?? 'nothing that can be read';
						items.push(lineToItem(line, 'failed', { reason: `${line.problem}: ${quotedLine}` }));
						continue;
					}
					const site = normalizeSite(line.url);
					const same = known.get(site);
					if (same !== undefined) {
						const outcome = same.outcome === 'added' ? 'existing' : (same.outcome as Outcome);
						items.push(
							lineToItem(line, outcome, { id: same.id, reason: `same as line ${same.line}` }),
						);
						continue;
					}
					const created = await createSite(line);
					const isUnknown = isErrorResult(created) && created.code === outcomeUnknownCode;
					unknownInARow = isUnknown ? unknownInARow + 1 : 0;
					if (isErrorResult(created) && !isUnknown && created.failure !== undefined) {
						if (known.size === 0) return created;
						end = { from: index, error: created };
						break;
					}
					const item = itemOfCreated(line, created);
					known.set(site, item);
					items.push(item);
					if (unknownInARow === maxConsecutiveUnknown && isErrorResult(created)) {
						end = { from: index + 1, error: created };
						break;
					}
				}
				const rest = lines.slice(end?.from ?? lines.length);
				const notSent = end !== undefined && rest.length > 0 ? [restItem(rest, end.error)] : [];
				if (!inputs.some(({ isDigest }) => isDigest)) return [...items, ...notSent];
				const left = { label: 'not sent', items: notSent, count: rest.length };
				return digest([left, ...groupByLabel('outcome', items, labels)]);
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

const headlines: Record<Outcome, string> = {
	added: 'Added',
	existing: 'Already there:',
	failed: 'Not added',
	unknown: 'It is not known whether it was added:',
};

function itemOfCreated(line: SiteLine, created: Created | ErrorResult): IDataObject {
	if (!isErrorResult(created)) {
		return lineToItem(line, created.isNew ? 'added' : 'existing', { id: created.site.id });
	}
	const { code, message, description } = created;
	return code === outcomeUnknownCode
		? lineToItem(line, 'unknown', { reason: description })
		: lineToItem(line, 'failed', { reason: `${message}. ${description}` });
}

function lineToItem(
	{ line, url, niche, problem }: SiteLine,
	outcome: Outcome,
	{ id, reason }: { id?: unknown; reason?: string },
): IDataObject {
	const site = joinParts(formatSite(url), withLabel('niche', quote(niche)));
	const headline = problem === undefined ? `${headlines[outcome]} ${site}` : 'Not added';
	const error = reason === undefined ? '' : `: ${sanitize(reason, maxReasonLength)}`;
	const message = `${headline} (line ${line})${error}`;
	return { message, line, outcome, url, niche, ...(id !== undefined && { id: String(id) }) };
}

/** What was not sent, with its lines to paste again. */
function restItem(lines: SiteLine[], { message, description }: ErrorResult): IDataObject {
	const [first, last] = [lines[0]?.line ?? 0, lines.at(-1)?.line ?? 0];
	const which = first === last ? `Line ${first} was` : `Lines ${first} to ${last} were`;
	const quotedLine = `${which} not sent: ${message}. Paste them again from "sites" once that is over. ${description}`;
	return {
		message: sanitize(quotedLine, 2 * maxReasonLength),
		line: first,
		outcome: 'notSent',
		sites: lines.map(({ text }) => text).join('\n'),
	};
}
