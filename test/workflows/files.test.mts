/** Rules for the file of every ready-made workflow. */
import { describe, expect, it } from 'vitest';

import {
	readWorkflow,
	readWorkflowText,
	workflowNames,
} from '../../sandbox/start/n8n/workflowFiles.mts';
import { descriptions, packageName } from '../engine/engine.mts';
import { read } from '../repository.mts';
import { findProblems } from './nodeProblems.mts';
import { getSinceVersion } from './sinceVersion.mts';

/** Nodes that send to a user: of two alternatives, one is deactivated. */
const channels = /\.(slack|emailSend)$/;
/** Width and height of a node on n8n's canvas. */
const size = 96;

describe.each(workflowNames)('%s', (name) => {
	const text = readWorkflowText(name);
	const workflow = readWorkflow(name);
	const names = workflow.nodes.map(({ name }) => name);

	it('uses nodes, versions and parameters of this package that exist', () => {
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

	it('contains no data of an account or a user', () => {
		expect(workflow.nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
		expect(Object.keys(workflow)).not.toContain('pinData');
		expect(Object.keys(workflow)).not.toContain('meta');
		// Each import gets its own webhooks, so that the same file can be used twice.
		expect(text).not.toContain('"webhookId"');
		const addresses = text.match(/[\w.+-]+@[\w-]+\.[\w.]+/g) ?? [];
		expect(addresses.filter((address) => !address.endsWith('.example'))).toEqual([]);
		const ownAddress = `https://github.com/${packageName}/`;
		expect(text.replaceAll(ownAddress, '')).not.toMatch(
			/\bxox[a-z]-|\bsk-|\bhttps?:\/\/(?![\w.]*\.example\b)/,
		);
	});

	it('needs no code: few nodes, one short note, short expressions', () => {
		const notes = workflow.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
		const maxNodes = { 'ai-link-manager': 11 }[name] ?? 7;
		const count = workflow.nodes.length - notes.length;
		expect(count).toBeGreaterThanOrEqual(2);
		expect(count).toBeLessThanOrEqual(maxNodes);
		expect(notes).toHaveLength(1);
		const note = String(notes[0]?.parameters.content);
		expect((note.match(/[\p{L}\p{N}][^\s]*/gu) ?? []).length).toBeLessThanOrEqual(90);
		expect(note).toMatch(/^1\. /m);
		expect(note).toContain(`workflows/README.md#${name})`);
		const headings = read('workflows/README.md').match(/^## .*/gm) ?? [];
		expect(
			headings.map((heading) => heading.slice(3).toLowerCase().replaceAll(' ', '-')),
		).toContain(name);
		expect(workflow.nodes.map(({ type }) => type)).not.toContain('n8n-nodes-base.code');
		const expressions = [...text.matchAll(/\{\{.*?\}\}/g)].map(([expression]) => expression);
		expect(expressions.filter((expression) => expression.length > 100)).toEqual([]);
	});

	it("can't be published without a notification: the channel is missing, and one way is active", () => {
		const slack = workflow.nodes.filter(({ type }) => /\.slack(HitlTool)?$/.test(type));
		const emails = workflow.nodes.filter(({ type }) => type === 'n8n-nodes-base.emailSend');
		for (const { parameters } of slack) expect(parameters.channelId).toMatchObject({ value: '' });
		for (const { parameters } of emails) {
			expect(parameters).toMatchObject({ fromEmail: '', toEmail: '' });
		}
		const channels = [...slack, ...emails];
		// The chat of the AI link manager works without its tool that accepts.
		if (channels.length === 0 || name === 'ai-link-manager') return;
		expect(channels.some(({ disabled }) => disabled !== true)).toBe(true);
		// A user without Slack can use each part of it.
		expect(emails).toHaveLength(slack.length);
		expect(channels.some(({ disabled }) => disabled === true)).toBe(true);
	});

	it('is readable on the canvas: no node covers a name, and no line crosses a node', () => {
		const drawn = workflow.nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote');
		const at = Object.fromEntries(drawn.map((node) => [node.name, node.position]));
		const covering = drawn.flatMap(({ name, type, disabled, position: [x, y] }) =>
			drawn
				.filter(({ position }) => Math.abs(position[0] - x) < 150 && position[1] > y)
				// A node that is deactivated gets a second line below its name.
				.filter(
					({ position }) =>
						position[1] - y < (channels.test(type) || disabled === true ? 200 : 150),
				)
				.map((lower) => `${lower.name} covers the name of ${name}`),
		);
		expect(covering).toEqual([]);
		const crossed = Object.entries(workflow.connections).flatMap(([from, { main = [] }]) =>
			main.flat().flatMap((end) => {
				const [[startX, startY], [endX, endY]] = [
					at[from] ?? [0, 0],
					at[end?.node ?? ''] ?? [0, 0],
				];
				const onLine = Array.from({ length: 99 }, (_, index) => {
					const part = (index + 1) / 100;
					const curve = part * part * (3 - 2 * part);
					return [startX + size + part * (endX - startX - size), startY + curve * (endY - startY)];
				});
				const isOnLine = ([x, y]: [number, number]) =>
					onLine.some(
						([lineX = 0, lineY = 0]) =>
							lineX > x && lineX < x + size && Math.abs(lineY - y) < size / 2,
					);
				return drawn
					.filter(({ name }) => name !== from && name !== end?.node)
					.filter(({ position }) => isOnLine(position))
					.map(({ name }) => `the line from ${from} to ${end?.node ?? ''} crosses ${name}`);
			}),
		);
		expect(crossed).toEqual([]);
	});

	it('every connection ends at a node', () => {
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

	it('is described in README.md and in workflows/README.md', () => {
		for (const readme of ['README.md', 'workflows/README.md']) {
			expect(read(readme)).toContain(`\`${name}.json\``);
		}
	});

	it('documents its minimum version of n8n', () => {
		const since = getSinceVersion(workflow);
		if (since === '1.123') return;
		const [, section = ''] = read('workflows/README.md').split(`[\`${name}.json\`]`);
		expect(section.split('\n')[0]).toContain(`Needs n8n ${since}`);
		const about = workflow.nodes.find((node) => node.name === 'About this workflow');
		expect(about?.parameters.content).toContain(`n8n ${since} or newer`);
	});

	it('refers only to nodes that it has', () => {
		const referred = [...text.matchAll(/\$\('([^']+)'\)/g)].map((match) => match[1]);
		expect(referred.filter((name) => !names.includes(name ?? ''))).toEqual([]);
	});
});
