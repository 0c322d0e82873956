import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { outputFormat } from '../../../shared/descriptions/outputFormat';
import { type ErrorResult, isErrorResult, outcomeUnknownCode } from '../../../shared/errors';
import { digest, type DigestLabel, groupByLabel } from '../../../shared/formatting/digest';
import {
	formatSite,
	joinWords,
	pluralize,
	quote,
	sanitize,
	withLabel,
} from '../../../shared/formatting/message';
import { getUrlKey } from '../../../shared/utils/siteIdentity';
import schema from '../../__schema__/v1.0.0/site/createMany.json';
import type { Operation } from '../../operation.types';
import { type ParsedLines, parseSiteLines, type SiteLine } from './parseSiteLines';
import { createSiteCreator, type SiteResult } from './siteCreator';

const maxLines = 1000;
/** Stop after this many requests in a row with an unknown outcome. */
const maxConsecutiveUnknown = 5;
const maxDetailsLength = 300;

const sites: INodeProperties = {
	displayName: 'Sites',
	name: 'sites',
	type: 'string',
	typeOptions: { rows: 8 },
	required: true,
	default: '',
	placeholder: 'e.g. https://blog.example.com, gardening',
	description:
		"One site per line: its URL, then a comma, semicolon or tab, then its niche. You can paste cells from a spreadsheet. Sites that you already have don't change.",
};

/** In the order of the digest. */
const labels: Array<DigestLabel<Outcome>> = [
	{ value: 'unknown', singular: 'outcome unknown', plural: 'outcomes unknown' },
	{ value: 'failed', singular: 'failed' },
	{ value: 'added', singular: 'added' },
	{ value: 'existing', singular: 'already there' },
];

type Outcome = 'added' | 'existing' | 'failed' | 'unknown' | 'notSent';

interface Input extends ParsedLines {
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
		"To add sites from a form or file, connect it to createMany with sites: expr('{{ $json.Sites }}'). Each line has a URL and a niche, for example 'https://blog.example, gardening'. To send lines with the outcome notSent again, use the url and niche of their items.",
	properties: [sites],
	options: [outputFormat],
	sequential: true,
	getParameters(parameters) {
		const expected = `a list of 1 to ${maxLines} sites`;
		const advice =
			'Enter one site per line, with its URL and niche: https://blog.example, gardening.';
		const parsed = parseSiteLines(parameters.lines(sites));
		const count = parsed.lines.length;
		if (count === 0 || count > maxLines) {
			throw parameters.invalid(sites, count === 0 ? '' : parsed.lines, expected, advice);
		}
		const isDigest = parameters.collection().option(outputFormat) === 'digest';
		return { ...parsed, isDigest };
	},
	createHandler({ context, client, hint }) {
		const createSite = createSiteCreator(context, client);
		return {
			async executeItems(inputs) {
				const { lines, columnNames } = numberLines(inputs);
				const columnHint = formatColumnNames(columnNames);
				if (columnHint !== undefined) hint('columnNames', columnHint);
				if (lines.some(({ problem }) => problem === undefined)) {
					const list = await fetchList(client, 'sites');
					if (isErrorResult(list)) return list;
				}
				const items: IDataObject[] = [];
				const itemsBySite = new Map<string, IDataObject>();
				let consecutiveUnknown = 0;
				/** Reason why no more lines are sent. */
				let stopError: ErrorResult | undefined;
				const notSent: SiteLine[] = [];
				for (const line of lines) {
					if (line.problem !== undefined) {
						items.push(lineToItem(line, 'failed', { details: line.problem }));
						continue;
					}
					const site = getUrlKey(line.url) ?? line.url;
					const earlierItem = itemsBySite.get(site);
					if (earlierItem !== undefined) {
						items.push(repeatToItem(line, earlierItem));
						continue;
					}
					if (stopError === undefined) {
						const result = await createSite(line);
						const isUnknown = isErrorResult(result) && result.code === outcomeUnknownCode;
						consecutiveUnknown = isUnknown ? consecutiveUnknown + 1 : 0;
						const concernsAllLines =
							isErrorResult(result) && !isUnknown && result.failure !== undefined;
						if (concernsAllLines && itemsBySite.size === 0) return result;
						if (concernsAllLines || consecutiveUnknown === maxConsecutiveUnknown) {
							stopError = result as ErrorResult;
						}
						if (!concernsAllLines) {
							const item = resultToItem(line, result);
							itemsBySite.set(site, item);
							items.push(item);
							continue;
						}
					}
					notSent.push(line);
					const item = lineToItem(line, 'notSent');
					itemsBySite.set(site, item);
					items.push(item);
				}
				const notSentItems = items.filter(({ outcome }) => outcome === 'notSent');
				const [firstItem] = notSentItems;
				if (firstItem !== undefined && stopError !== undefined) {
					firstItem.message = formatStop(notSentItems, stopError);
				}
				if (!inputs.some(({ isDigest }) => isDigest)) return items;
				const notSentPart = {
					label: 'not sent',
					items: notSentItems,
					...(firstItem && { summary: String(firstItem.message) }),
				};
				return digest([notSentPart, ...groupByLabel('outcome', items, labels)]);
			},
		};
	},
};

/** Numbers the lines of all input items consecutively. */
function numberLines(inputs: Input[]) {
	let lineOffset = 0;
	const columnNames: Array<NonNullable<ParsedLines['columnNames']>> = [];
	const lines = inputs.flatMap((input) => {
		const renumber = <Line extends { line: number }>(numbered: Line): Line => ({
			...numbered,
			line: lineOffset + numbered.line,
		});
		if (input.columnNames !== undefined) columnNames.push(renumber(input.columnNames));
		const renumbered = input.lines.map(renumber);
		lineOffset = renumbered.at(-1)?.line ?? lineOffset;
		return renumbered;
	});
	return { lines, columnNames };
}

function formatColumnNames(
	columnNames: ReturnType<typeof numberLines>['columnNames'],
): string | undefined {
	const [first, ...others] = columnNames;
	if (first === undefined) return undefined;
	const subject =
		others.length === 0
			? `Line ${first.line} was`
			: `Line ${first.line} and ${pluralize(others.length, 'other line')} were`;
	return `${subject} read as column names: ${first.names}`;
}

const headlines: Record<Outcome, string> = {
	added: 'Site added',
	existing: 'Site already in your account',
	failed: 'Site not added',
	unknown: 'Outcome unknown',
	notSent: 'Site not sent',
};

function resultToItem(line: SiteLine, result: SiteResult | ErrorResult): IDataObject {
	if (!isErrorResult(result)) {
		const { site, isNew } = result;
		// A site of the account may have another niche.
		const shownNiche = isNew ? line.niche : site.niche;
		return lineToItem(line, isNew ? 'added' : 'existing', { id: site.id, shownNiche });
	}
	const { code, message, description } = result;
	return code === outcomeUnknownCode
		? lineToItem(line, 'unknown', { details: description })
		: lineToItem(line, 'failed', { details: `${message}. ${description}` });
}

/** Builds the item of a line with the same site as an earlier one. */
function repeatToItem(
	line: SiteLine,
	{ line: earlierLine, outcome, id }: IDataObject,
): IDataObject {
	return lineToItem(line, outcome === 'added' ? 'existing' : (outcome as Outcome), {
		id,
		shownNiche: undefined,
		details: `It's the same site as in line ${String(earlierLine)}.`,
	});
}

function lineToItem(
	{ line, url, niche }: SiteLine,
	outcome: Outcome,
	{ id, details, ...shown }: { id?: unknown; details?: string; shownNiche?: unknown } = {},
): IDataObject {
	const shownNiche = 'shownNiche' in shown ? shown.shownNiche : niche;
	const site = joinWords(
		formatSite(url) ?? 'no URL',
		withLabel('with the niche', quote(shownNiche)),
	);
	const message = joinWords(
		`${headlines[outcome]} (line ${line}): ${site}.`,
		details && sanitize(details, maxDetailsLength),
	);
	return {
		message,
		line,
		outcome,
		...(url !== '' && { url }),
		...(niche !== '' && { niche }),
		...(id !== undefined && { id: String(id) }),
	};
}

/** Formats the reason why lines weren't sent: `Lines 4 to 6 weren't sent: …`. */
function formatStop(items: IDataObject[], { message, description }: ErrorResult): string {
	const [first, last] = [Number(items[0]?.line), Number(items.at(-1)?.line)];
	const range =
		items.length === 1
			? `Line ${first} wasn't`
			: last - first === items.length - 1
				? `Lines ${first} to ${last} weren't`
				: `${items.length} lines from line ${first} on weren't`;
	return sanitize(
		`${range} sent: ${message}. ${description} Then add only these lines again.`,
		2 * maxDetailsLength,
	);
}
