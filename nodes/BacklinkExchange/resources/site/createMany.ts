import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { fetchList } from '../../../shared/api/fetchList';
import { outputFormat } from '../../../shared/descriptions/outputFormat';
import { outcomeUnknownCode, ServiceError, toServiceError } from '../../../shared/errors';
import { digest, type DigestLabel, groupByLabel } from '../../../shared/formatting/digest';
import {
	formatSite,
	joinWords,
	quote,
	sanitize,
	withLabel,
} from '../../../shared/formatting/message';
import { getUrlKey } from '../../../shared/sites/siteUrl';
import schema from '../../__schema__/v1.0.0/site/createMany.json';
import type { Operation } from '../../operation.types';
import { parseSiteLines, type SiteLine } from './parseSiteLines';
import { createSiteCreator, type SiteResult } from './siteCreator';

const maxLines = 1000;
/** Stop after this many requests in a row with an unknown outcome. */
const maxUnknownInRow = 5;
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
		"To add sites from a form or file, connect it to createMany with sites: expr('{{ $json.Sites }}'). Each line has a URL and a niche, for example 'https://blog.example, gardening'. To send lines with the outcome notSent again, use the url and niche of their items.",
	properties: [sites],
	options: [outputFormat],
	sequential: true,
	getParameters(parameters) {
		const expected = `a list of 1 to ${maxLines} sites`;
		const advice =
			'Enter one site per line, with its URL and niche: https://blog.example, gardening.';
		const lines = parseSiteLines(parameters.lines(sites));
		if (lines.length === 0 || lines.length > maxLines) {
			throw parameters.invalid(sites, lines.length === 0 ? '' : lines, expected, advice);
		}
		const isDigest = parameters.collection().option(outputFormat) === 'digest';
		return { lines, isDigest };
	},
	createHandler({ context, client }) {
		const createSite = createSiteCreator(context, client);
		return {
			async executeItems(inputs) {
				const lines = numberLines(inputs);
				if (lines.some(({ problem }) => problem === undefined)) await fetchList(client, 'sites');
				const itemsBySite = new Map<string, IDataObject>();
				let unknownInRow = 0;
				/** Reason why no more lines are sent. */
				let stopError: ServiceError | undefined;
				const addSite = async (line: SiteLine): Promise<IDataObject> => {
					if (stopError !== undefined) return lineToItem(line, 'notSent');
					const result = await createSite(line).catch(toServiceError);
					const isFailed = result instanceof ServiceError;
					const isUnknown = isFailed && result.code === outcomeUnknownCode;
					const concernsAllLines = isFailed && !isUnknown && result.failure !== undefined;
					unknownInRow = isUnknown ? unknownInRow + 1 : 0;
					if (concernsAllLines && itemsBySite.size === 0) throw result;
					if (isFailed && (concernsAllLines || unknownInRow === maxUnknownInRow)) {
						stopError = result;
					}
					return concernsAllLines ? lineToItem(line, 'notSent') : resultToItem(line, result);
				};
				const items: IDataObject[] = [];
				for (const line of lines) {
					if (line.problem !== undefined) {
						items.push(lineToItem(line, 'failed', { details: line.problem }));
						continue;
					}
					const site = getUrlKey(line.url) ?? line.url;
					const earlierItem = itemsBySite.get(site);
					const isRepeated = earlierItem !== undefined && earlierItem.outcome !== 'notSent';
					const item = isRepeated ? repeatToItem(line, earlierItem) : await addSite(line);
					if (!isRepeated) itemsBySite.set(site, item);
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
function numberLines(inputs: Input[]): SiteLine[] {
	let offset = 0;
	return inputs.flatMap(({ lines }) => {
		const numbered = lines.map((each) => ({ ...each, line: each.line + offset }));
		offset = numbered.at(-1)?.line ?? offset;
		return numbered;
	});
}

const headlines: Record<Outcome, string> = {
	added: 'Site added',
	existing: 'Site already in your account',
	failed: 'Site not added',
	unknown: 'Outcome unknown',
	notSent: 'Site not sent',
};

function resultToItem(line: SiteLine, result: SiteResult | ServiceError): IDataObject {
	if (!(result instanceof ServiceError)) {
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
function formatStop(items: IDataObject[], { message, description }: ServiceError): string {
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
