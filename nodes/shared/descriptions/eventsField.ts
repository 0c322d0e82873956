import type { INodeProperties } from 'n8n-workflow';

import { events } from '../events/events';

/** In the order in which the editor shows them. */
const eventsByLabel = [...events].sort((one, other) => (one.label < other.label ? -1 : 1));

const labels = Object.fromEntries(eventsByLabel.map(({ name, label }) => [name, label]));

/**
 * Subtitle of both triggers: an n8n expression that lists the selected events, for example "New
 * Alert, Link Broken".
 */
export const eventsSubtitle = `={{ $parameter["events"].map((event) => (${JSON.stringify(labels)})[event]).join(", ") }}`;

/** Builds the field "Trigger On" with the events that a trigger can find. */
export function createEventsField(trigger: 'webhook' | 'polling'): INodeProperties {
	const available = eventsByLabel.filter(({ payload }) => payload || trigger === 'polling');
	return {
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		// n8n's lint rule recognizes only an array literal.
		default: [...available.filter(({ isDefault }) => isDefault).map(({ name }) => name)],
		options: available.map(({ name, label, description }) => ({
			name: label,
			value: name,
			description,
		})),
	};
}
