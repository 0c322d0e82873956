import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { outputFormat } from '../../../shared/descriptions/outputFormat';
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
import { getUrlKey } from '../../../shared/utils/siteIdentity';
import schema from '../../__schema__/v1.0.0/site/createMany.json';
import type { Operation } from '../../operation.types';
import { parseSiteLines, type SiteLine } from './parseSiteLines';
import { createSiteCreator, type SiteResult } from './siteCreator';

const maxLines = 1000;
/** Stop after this many requests in a row with an unknown outcome. */
const maxConsecutiveUnknown = 5;
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

/** In the order of the digest. */
const labels: Array<DigestLabel<Outcome>> = [
	{ value: 'unknown', singular: 'outcome unknown', plural: 'outcomes unknown' },
	{ value: 'failed', singular: 'failed' },
	{ value: 'added', singular: 'added' },
	{ value: 'existing', singular: 'already there' },
];

type Outcome = 'added' | 'existing' | 'failed' | 'unknown';

interface Input {
	lines: SiteLine[];
	isDigest: boolean;
}

/**
 * POST /sites for each line (service-api.md, "Endpoints"), with the same request as the operation
 * Create.
 */
export const createMany: Operation<Input> = {
	value: 'createMany',
	name: 'Create Many',
	action: 'Create many sites',
	description: 'Create sites from a list, one per line',
	outputSchema: schema,
	usageHint:
		"Form or file → createMany with sites: expr('{{ $json.Sites }}'), lines such as 'https://blog.example, gardening'. notSent has the lines to send again in sites.",
	properties: [sites],
	options: [outputFormat],
	sequential: true,
	getParameters(parameters) {
		const expected = `up to ${maxLines} lines, each with the address of a site and its niche, such as https://blog.example, gardening`;
		const lines = parseSiteLines(parameters.lines(sites));
		const isUsable = lines.some(({ problem }) => problem === undefined);
		if (!isUsable || lines.length > maxLines) {
			const [firstLine] = lines;
			const received = isUsable ? pluralize(lines.length, 'line') : (firstLine?.text ?? '');
			throw parameters.invalid(sites, received, expected);
		}
		return { lines, isDigest: parameters.collection().option(outputFormat) === 'digest' };
	},
	createHandler({ context, client }) {
		const createSite = createSiteCreator(context, client);
		return {
			async executeItems(inputs) {
				const list = await fetchList(client, 'sites');
				if (isErrorResult(list)) return list;
				const lines = numberLines(inputs);
				const items: IDataObject[] = [];
				const itemsBySite = new Map<string, IDataObject>();
				let consecutiveUnknown = 0;
				/** Reason why the lines from index `from` on aren't sent. */
				let stopReason: { from: number; error: ErrorResult } | undefined;
				for (const [index, line] of lines.entries()) {
					if (line.problem !== undefined) {
						const quotedLine = quote(line.text) ?? 'nothing that can be read';
						items.push(lineToItem(line, 'failed', { reason: `${line.problem}: ${quotedLine}` }));
						continue;
					}
					const site = getUrlKey(line.url) ?? line.url;
					const earlierItem = itemsBySite.get(site);
					if (earlierItem !== undefined) {
						const outcome =
							earlierItem.outcome === 'added' ? 'existing' : (earlierItem.outcome as Outcome);
						items.push(
							lineToItem(line, outcome, {
								id: earlierItem.id,
								reason: `same as line ${earlierItem.line}`,
							}),
						);
						continue;
					}
					const result = await createSite(line);
					const isUnknown = isErrorResult(result) && result.code === outcomeUnknownCode;
					consecutiveUnknown = isUnknown ? consecutiveUnknown + 1 : 0;
					if (isErrorResult(result) && !isUnknown && result.failure !== undefined) {
						if (itemsBySite.size === 0) return result;
						stopReason = { from: index, error: result };
						break;
					}
					const item = resultToItem(line, result);
					itemsBySite.set(site, item);
					items.push(item);
					if (consecutiveUnknown === maxConsecutiveUnknown && isErrorResult(result)) {
						stopReason = { from: index + 1, error: result };
						break;
					}
				}
				const unsentLines = lines.slice(stopReason?.from ?? lines.length);
				const notSent =
					stopReason !== undefined && unsentLines.length > 0
						? [notSentToItem(unsentLines, stopReason.error)]
						: [];
				if (!inputs.some(({ isDigest }) => isDigest)) return [...items, ...notSent];
				const notSentPart = { label: 'not sent', items: notSent, count: unsentLines.length };
				return digest([notSentPart, ...groupByLabel('outcome', items, labels)]);
			},
		};
	},
};

/** Numbers the lines of all input items consecutively. */
function numberLines(inputs: Input[]): SiteLine[] {
	let lineOffset = 0;
	return inputs.flatMap(({ lines }) => {
		const renumbered = lines.map((line) => ({ ...line, line: lineOffset + line.line }));
		lineOffset = renumbered.at(-1)?.line ?? lineOffset;
		return renumbered;
	});
}

const headlines: Record<Outcome, string> = {
	added: 'Added',
	existing: 'Already there:',
	failed: 'Not added',
	unknown: 'It is not known whether it was added:',
};

function resultToItem(line: SiteLine, result: SiteResult | ErrorResult): IDataObject {
	if (!isErrorResult(result)) {
		return lineToItem(line, result.isNew ? 'added' : 'existing', { id: result.site.id });
	}
	const { code, message, description } = result;
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
	const suffix = reason === undefined ? '' : `: ${sanitize(reason, maxReasonLength)}`;
	const message = `${headline} (line ${line})${suffix}`;
	return { message, line, outcome, url, niche, ...(id !== undefined && { id: String(id) }) };
}

/** Builds the item for the lines that weren't sent, with the lines to paste again. */
function notSentToItem(lines: SiteLine[], { message, description }: ErrorResult): IDataObject {
	const [first, last] = [lines[0]?.line ?? 0, lines.at(-1)?.line ?? 0];
	const subject = first === last ? `Line ${first} was` : `Lines ${first} to ${last} were`;
	const details = `${subject} not sent: ${message}. Paste them again from "sites" once that is over. ${description}`;
	return {
		message: sanitize(details, 2 * maxReasonLength),
		line: first,
		outcome: 'notSent',
		sites: lines.map(({ text }) => text).join('\n'),
	};
}
