/** The lessons of the docs, performed in the browser exactly as written, with a Slack. */
import { beforeAll, expect, test } from 'vitest';

import { read } from '../../repository.mts';
import { N8nScreen } from '../editorPage.mts';
import { acceptByRules, publish, sendToSlack, showNewestEvent } from '../tutorialSteps.mts';
import { useWorld } from './environment.mts';

const world = useWorld({ isReset: false });
const n8n = N8nScreen.useIn(world);
const minutes = 60_000;

beforeAll(async () => {
	const { id } = world.sandbox.requestOffer();
	world.sandbox.accept(id);
	world.sandbox.publish(id);
	breakLink(id);
	world.sandbox.requestOffer();
	// Not the first workflow of this n8n.
	await world.editor.importWorkflow('weekly-report');
});

function breakLink(id: string): void {
	world.sandbox.removeLink(id);
	world.sandbox.checkLinks();
}

/**
 * Parses the steps under a heading of a document, in order: clicks, typed text, drags and key
 * presses. Alternatives stand below the picture, so they don't count.
 */
function getWrittenSteps(document: string, lesson: string): string[] {
	const [, after = ''] = read(document).split(new RegExp(`^#+ ${lesson}\n`, 'm'));
	const [steps = ''] = after.split('![');
	return steps.match(/\*\*[^*]+\*\*|(?<=\b(?:type|drag) )`[^`]+`|<kbd>[^<]+<\/kbd>/gi) ?? [];
}

test('send each alert to Slack', { timeout: 5 * minutes }, async () => {
	await n8n.page.goto(`${world.n8n.origin}/home/workflows`);
	await showNewestEvent(n8n);
	await sendToSlack(n8n);
	await world.asked(1, () => publish(n8n));
	await n8n.openExecutions();
	const { steps, clicks } = n8n.person.done();
	expect(steps).toEqual(getWrittenSteps('README.md', 'Send each alert to Slack'));
	// One more click opens the executions.
	console.log(`send each alert to Slack: ${clicks - 1} clicks`);
	expect(clicks - 1).toBeLessThanOrEqual(15);
	const { id } = world.sandbox.requestOffer({ toSite: 'https://slow-coffee.example' });
	world.sandbox.accept(id);
	world.sandbox.publish(id);
	breakLink(id);
	await expect.poll(() => world.slack.messages.length, { timeout: 2 * minutes }).toBe(1);
	expect(world.slack.messages).toMatchObject([
		{
			channel: 'C0LINKS',
			text: expect.stringMatching(
				/^New alert \(high, link removed\): the link from https:\/\/\S+ to slow-coffee\.example with the anchor “.+” is gone\. /,
			) as unknown,
		},
	]);
});

test('accept offers by rules', { timeout: 5 * minutes }, async () => {
	const [offer, ...others] = world.sandbox.books.exchanges('pending', 'incoming');
	await acceptByRules(n8n, String(offer?.fromSite));
	const { steps, clicks } = n8n.person.done();
	expect(steps).toEqual(
		getWrittenSteps('docs/accepting-offers.md', 'Go from a dry run to a live run'),
	);
	console.log(`accept offers by rules: ${clicks} clicks`);
	expect(clicks).toBeLessThanOrEqual(10);
	expect(world.sandbox.books.exchanges('pending', 'incoming')).toHaveLength(others.length);
	await n8n.closeStep();
});
