import type { IPollFunctions } from 'n8n-workflow';

/** What n8n keeps for the trigger between polls. All of it is text: n8n wraps objects in proxies. */
interface Kept {
	/** The account that `seen` is of. */
	address?: string;
	key?: string;
	/** What was seen: see `memory.ts`. */
	seen?: string;
	/** The events on their way: see `ledger.ts`. */
	ledger?: string;
}

const fields = ['address', 'key', 'seen', 'ledger'] as const;

export interface Store {
	read(): Readonly<Kept>;
	/** Changes these values, and leaves the others. n8n writes them down with the next execution that the trigger starts. */
	write(values: Kept, settings?: { mayWait: boolean }): void;
	/** To be called when the trigger has started an execution. */
	isWrittenDown(): void;
	/**
	 * Whether it takes an execution without items to have n8n write down what may not wait. To be called when the poll is
	 * over. n8n itself does so after an activation; with durable poll cursors after every poll but that one.
	 */
	takesAnExecution(isActivation: boolean): boolean;
}

/** Nodes whose state has changed since n8n last wrote it down. */
const unsaved = new Set<string>();

/**
 * The state of the trigger. With durable poll cursors n8n keeps it by the node's id. Without, n8n keeps a node's static
 * data by the node's name and begins anew when it is renamed; so there it stands in the workflow's static data, under the
 * node's id.
 */
export function openStore(context: IPollFunctions): Store {
	const own = context.getWorkflowStaticData('node');
	const shared = context.getWorkflowStaticData('global');
	const place = `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
	const nameOf = (field: string) => `backlinkExchange ${context.getNode().id} ${field}`;
	// n8n marks the objects that it watches for changes; a durable cursor is a plain one.
	const isDurable = !('__dataChanged' in own);
	const target = isDurable ? own : shared;
	const read = (): Kept => {
		const isNewCursor = isDurable && !fields.some((field) => nameOf(field) in own);
		const source = isNewCursor ? shared : target;
		return Object.fromEntries(fields.map((field) => [field, source[nameOf(field)]]));
	};
	return {
		// Anew each time: polls may overlap.
		read,
		write(changed, { mayWait } = { mayWait: false }) {
			// All of it, because nothing of what a new cursor lacks is read any more.
			for (const [field, value] of Object.entries({ ...read(), ...changed })) {
				const name = nameOf(field);
				if (value !== undefined && target[name] !== value) target[name] = value;
			}
			if (!mayWait) unsaved.add(place);
		},
		isWrittenDown() {
			unsaved.delete(place);
		},
		takesAnExecution: (isActivation) => unsaved.delete(place) && isDurable === isActivation,
	};
}
