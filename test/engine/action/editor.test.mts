/** What the editor and n8n's loader see of the package. */
import type { INodeProperties } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { actionType, nodeTypes } from '../engine.mts';
import { json, localService } from '../localServer.mts';
import { serviceWithOffer } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const action = nodeTypes().getByNameAndVersion(actionType);
const properties = action.description.properties;

function find(name: string, resource?: string, operation?: string): INodeProperties | undefined {
	return properties.find(
		(property) =>
			property.name === name &&
			(resource === undefined || property.displayOptions?.show?.resource?.includes(resource)) &&
			(operation === undefined || property.displayOptions?.show?.operation?.includes(operation)),
	);
}

test('lists of options are in alphabetical order', () => {
	const lists = properties.flatMap((property) => [
		property,
		...((property.options ?? []) as INodeProperties[]),
	]);
	for (const property of lists.filter(({ type }) => ['options', 'collection'].includes(type))) {
		const labels = (property.options ?? []).map((entry) =>
			'displayName' in entry ? entry.displayName : entry.name,
		);
		expect(labels, property.displayName).toEqual(
			[...labels].sort((one, other) => one.localeCompare(other)),
		);
	}
});

test('a new node says that it spends, also to an AI agent, and Dry Run is in sight', () => {
	const operations = find('operation', 'exchange')?.options as Array<{
		value: string;
		action: string;
	}>;
	expect(operations.find(({ value }) => value === 'accept')?.action).toContain('spends credits');
	expect(find('spendingNotice', 'exchange', 'accept')?.type).toBe('notice');
	expect(find('dryRun', 'exchange', 'accept')?.default).toBe(false);
	expect(find('dryRun', 'exchange', 'acceptMany')?.default).toBe(true);
	expect(find('options', 'exchange', 'getAll')?.default).toEqual({});
});

test('offers can be chosen from a list that shows their sites, anchor and ID, and searched; exchanges by their status, too', async () => {
	const { sandbox, search, offer } = await serviceWithOffer({}, { anchor: 'garden chairs' });
	const { id: tea } = sandbox.requestOffer({ anchor: 'tea pots' });
	const { id: accepted } = sandbox.accept(sandbox.requestOffer({ anchor: 'garden gnomes' }).id);
	const shown = `^\\S+ → \\S+ · “garden chairs” · ${offer.id}`;
	const valuesOf = async (...typed: Parameters<typeof search>) =>
		(await search(...typed)).map(({ value }) => value).sort();

	expect(await valuesOf('searchPendingOffers')).toEqual([offer.id, tea].sort());
	const found = await search('searchPendingOffers', ' GARDEN ');
	expect(found.map(({ value }) => value)).toEqual([offer.id]);
	expect(found[0]?.name).toMatch(new RegExp(`${shown}$`, 'u'));
	expect(await search('searchPendingOffers', offer.id)).toEqual(found);

	expect(await valuesOf('searchExchanges')).toEqual([offer.id, tea, accepted].sort());
	expect(await valuesOf('searchExchanges', '(accepted)')).toEqual([accepted]);
	const [pending] = await search('searchExchanges', offer.id);
	expect(pending?.name).toMatch(new RegExp(`${shown} \\(pending\\)$`, 'u'));
});

test('what an offer does not name leaves no gap in the list', async () => {
	const { search } = await localService(
		json([
			{ id: 'exc_1', to_site: 'https://blog.example' },
			{ id: 'exc_2', anchor: 'tea' },
			{ id: '\u202e<b>\n7' },
		]),
	);
	const found = await search('searchPendingOffers');
	expect(found.map(({ name }) => name)).toEqual([
		'an unknown site → blog.example · exc_1',
		'“tea” · exc_2',
		'‹b› 7',
	]);
});

test('a list in which nothing matches says so, as does one that is cut off, and neither can be chosen', async () => {
	const { search } = await serviceWithOffer();
	expect(await search('searchPendingOffers', 'elephants')).toEqual([
		{ name: 'None of the 1 matches "elephants"', value: '' },
	]);
	const goingOn = await localService(json({ data: [{ id: 'exc_1' }], has_more: true }));
	expect((await goingOn.search('searchPendingOffers')).at(-1)).toEqual({
		name: 'Not all are listed: enter the ID',
		value: '',
	});
});
