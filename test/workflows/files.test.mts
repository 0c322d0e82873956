/** Rules for the file of every ready-made workflow. */
import { describe, expect, test } from 'vitest';

import {
	readWorkflow,
	readWorkflowText,
	workflowNames,
	type WorkflowNode,
} from '../../sandbox/start/n8n/workflowFiles.mts';
import { descriptions, packageName } from '../engine/engine.mts';
import { read } from '../repository.mts';
import { findProblems } from './nodeProblems.mts';
import { getSinceVersion } from './sinceVersion.mts';

/** Width and height of a node on n8n's canvas. */
const nodeSize = 96;
/** Height of a node's name, which is below it. */
const nameHeight = 40;
const noteType = 'n8n-nodes-base.stickyNote';

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
}

/** Returns the area of a note, or of a node with its name. */
function getBox({ name, type, position: [left, top], parameters }: WorkflowNode): Box {
	const isNote = type === noteType;
	const width = isNote ? Number(parameters.width) : nodeSize;
	const height = isNote ? Number(parameters.height) : nodeSize + nameHeight;
	return { name, left, top, right: left + width, bottom: top + height };
}

/** Returns the section of a workflow in workflows/README.md. */
function getSection(title: string): string {
	const sections = read('workflows/README.md').split(/^## /m);
	return sections.find((section) => section.startsWith(`${title}\n`)) ?? '';
}

/** Returns the workflow's row in the table of workflows/README.md. */
function getRow(title: string): string {
	const lines = read('workflows/README.md').split('\n');
	return lines.find((line) => line.includes(`| [${title}](#`)) ?? '';
}

/** Returns the hours at which schedules and poll times start a workflow. */
function getHours(parameters: unknown): number[] {
	if (typeof parameters !== 'object' || parameters === null) return [];
	return Object.entries(parameters).flatMap(([key, value]) =>
		/^(hour|triggerAtHour)$/.test(key) ? [Number(value)] : getHours(value),
	);
}

describe.each(workflowNames)('%s', (name) => {
	const text = readWorkflowText(name);
	const workflow = readWorkflow(name);
	const names = workflow.nodes.map(({ name }) => name);
	const notes = workflow.nodes.filter(({ type }) => type === noteType);
	const steps = workflow.nodes.filter(({ type }) => type !== noteType);
	const overview = notes.find(({ name }) => name === 'About this workflow');
	const emails = steps.filter(({ type }) => type === 'n8n-nodes-base.emailSend');

	test('uses nodes, versions and parameters of this package that exist', () => {
		// As an agent's tool, n8n gives a node another name and the same parameters, and two for the
		// tool's description.
		const own = workflow.nodes
			.filter(({ type }) => type.startsWith(`${packageName}.`))
			.map(({ parameters: { descriptionType, toolDescription, ...parameters }, ...node }) => {
				expect(descriptionType === 'manual').toBe(typeof toolDescription === 'string');
				return { ...node, parameters, type: node.type.replace(/Tool$/, '') };
			});
		// Only the file has a prefix: the loader's node names lack that of the package.
		expect(own.flatMap((node) => findProblems(node, descriptions, `${packageName}.`))).toEqual([]);
	});

	test('contains no data of an account or a user', () => {
		expect(workflow.nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
		expect(Object.keys(workflow)).not.toContain('pinData');
		// The review of n8n's templates requires exactly this: no ID of an n8n.
		expect(workflow).toMatchObject({ meta: { templateCredsSetupCompleted: false } });
		expect(text).not.toMatch(/"(instanceId|templateId)"/);
		// Each import gets its own webhooks, so that the same file can be used twice.
		expect(text).not.toContain('"webhookId"');
		const addresses = text.match(/[\w.+-]+@[\w-]+\.[\w.]+/g) ?? [];
		expect(addresses.filter((address) => !address.endsWith('.example'))).toEqual([]);
		const known = [`https://github.com/${packageName}/`, 'https://openpagerank.com/api/'];
		const rest = known.reduce((left, address) => left.replaceAll(address, ''), text);
		expect(rest).not.toMatch(/\bxox[a-z]-|\bsk-|\bhttps?:\/\/(?![\w.]*\.example\b)/);
	});

	test('needs no code: few nodes, short expressions', () => {
		const maxNodes =
			{
				'accept-by-rating': 11,
				'ai-link-manager': 13,
				'partner-list-and-log': 12,
				'spending-by-partner': 9,
				'offer-approval': 8,
				'weekly-report': 10,
			}[name] ?? 7;
		expect(steps.length).toBeGreaterThanOrEqual(2);
		expect(steps.length).toBeLessThanOrEqual(maxNodes);
		expect(workflow.nodes.map(({ type }) => type)).not.toContain('n8n-nodes-base.code');
		const expressions = [...text.matchAll(/\{\{.*?\}\}/g)].map(([expression]) => expression);
		// The text in `$fromAI` is a description for a model.
		const withoutText = expressions.map((each) => each.replace(/(?<=\$fromAI\().*(?=\))/, ''));
		expect(withoutText.filter((expression) => expression.length > 100)).toEqual([]);
	});

	test('has an overview note that ends with a link to its section', () => {
		const [, address = ''] = /\]\((\S+)\)$/.exec(String(overview?.parameters.content)) ?? [];
		expect(address).toBe(
			`https://github.com/${packageName}/${packageName}/blob/HEAD/workflows/README.md#${name}`,
		);
		expect(getSection(workflow.name)).toContain(`\`${name}.json\``);
	});

	test('has no note or node that covers another one', () => {
		const boxes = workflow.nodes.map((node) => getBox(node));
		const covered = boxes.flatMap((box, index) =>
			boxes
				.slice(index + 1)
				.filter((other) => other.left < box.right && box.left < other.right)
				.filter((other) => other.top < box.bottom && box.top < other.bottom)
				.map((other) => `${other.name} and ${box.name}`),
		);
		expect(covered).toEqual([]);
	});

	test('states each time of day in its overview, with its time zone', () => {
		const hours = getHours(steps.map(({ parameters }) => parameters));
		if (hours.length === 0) return;
		const content = String(overview?.parameters.content);
		for (const hour of hours) expect(content).toContain(`${hour}:00`);
		expect(content).toContain('time zone');
	});

	test('uses the title of a digest or an event as the subject of an email', () => {
		for (const { name: node, parameters } of emails) {
			const sources = Object.entries(workflow.connections)
				.filter(([, { main = [] }]) => main.flat().some((end) => end?.node === node))
				.map(([from]) => steps.find(({ name }) => name === from));
			const hasTitle = sources.every(
				(source) =>
					source?.type.endsWith('Trigger') === true && source.type.startsWith(`${packageName}.`),
			);
			const options = sources.map((source) => source?.parameters.options as object | undefined);
			const isDigest = options.some((each) => JSON.stringify(each ?? {}).includes('"digest"'));
			if (!hasTitle && !isDigest) continue;
			expect([node, parameters.subject]).toEqual([node, '={{ $json.title }}']);
		}
	});

	test("can't be published without a notification: the channel is missing, and one way is active", () => {
		const slack = workflow.nodes.filter(({ type }) => /\.slack(HitlTool)?$/.test(type));
		const byEmail = workflow.nodes.filter(({ type }) => /\.emailSend(HitlTool)?$/.test(type));
		// A message to a client goes where a row of a table says.
		const fromTable = /^=\{\{ \$\('Get clients'\)\.item\.json\.to \}\}$/;
		const isEmpty = (to: unknown) =>
			to === '' || (name === 'weekly-report' && fromTable.test(String(to)));
		for (const { parameters } of slack) {
			expect(parameters.channelId).toMatchObject({ value: expect.toSatisfy(isEmpty) as unknown });
		}
		for (const { parameters } of byEmail) {
			expect(parameters).toMatchObject({
				fromEmail: '',
				toEmail: expect.toSatisfy(isEmpty) as unknown,
			});
		}
		// A user without Slack can use each part of it.
		expect(byEmail).toHaveLength(slack.length);
		const channels = [...slack, ...byEmail];
		// The chat of the AI link manager works without its tool that accepts.
		if (channels.length === 0 || name === 'ai-link-manager') return;
		expect(channels.some(({ disabled }) => disabled !== true)).toBe(true);
		expect(channels.some(({ disabled }) => disabled === true)).toBe(true);
	});

	test('every connection ends at a node', () => {
		expect(new Set(names).size).toBe(names.length);
		expect(new Set(workflow.nodes.map(({ id }) => id)).size).toBe(names.length);
		const ends = Object.entries(workflow.connections).flatMap(([from, byType]) => [
			from,
			...Object.values(byType).flatMap((outputs) =>
				outputs.flatMap((output) => (output ?? []).map(({ node }) => node)),
			),
		]);
		expect(ends.filter((name) => !names.includes(name))).toEqual([]);
	});

	test('is described in README.md and in workflows/README.md', () => {
		expect(read('README.md')).toContain(`[${workflow.name}](workflows/README.md#${name})`);
		expect(read('workflows/README.md')).toContain(`\`${name}.json\``);
	});

	test('documents its minimum version of n8n', () => {
		const since = getSinceVersion(workflow);
		if (since === '1.123') return;
		expect(getRow(workflow.name)).toContain(`n8n ${since}`);
		expect(overview?.parameters.content).toContain(`n8n ${since} or newer`);
	});

	test('refers only to nodes that it has', () => {
		const referred = [...text.matchAll(/\$\('([^']+)'\)/g)].map((match) => match[1]);
		expect(referred.filter((name) => !names.includes(name ?? ''))).toEqual([]);
	});
});

test('scheduled-auto-accept has a limit per day, and is a dry run', () => {
	const { nodes } = readWorkflow('scheduled-auto-accept');
	const accepting = nodes.filter(({ parameters }) => parameters.operation === 'acceptMany');
	expect(accepting.map(({ parameters }) => parameters)).toMatchObject([
		{ dryRun: true, acceptFrom: 'listed', limits: { maxPerDay: 5 } },
	]);
});

test('spending-by-partner reads the table that partner-list-and-log writes', () => {
	const getTables = (name: string) =>
		readWorkflow(name)
			.nodes.filter(({ parameters }) => parameters.operation === 'create')
			.map(({ parameters: { tableName, columns, options } }) => {
				// Without this option, n8n fails if the table is there.
				expect(options).toEqual({ createIfNotExists: true });
				return { tableName, columns };
			});
	const [partners, log] = getTables('partner-list-and-log');
	expect(partners?.tableName).toBe('Backlink Exchange partners');
	expect(log?.tableName).toBe('Backlink Exchange accepted offers');
	expect(getTables('spending-by-partner')).toEqual([log]);
});
