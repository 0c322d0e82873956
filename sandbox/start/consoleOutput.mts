import type { Execution } from './n8n/messages.mts';

/** Of one execution. Further ones are counted. */
const maxShownItems = 3;
/** For items that have no title. */
const maxShownLength = 200;

/** Prints a line with the time and its source. */
export function printLine(source: string, text: string): void {
	const time = new Date().toLocaleTimeString('en-GB');
	console.log(`${time}  ${source.padEnd(8)} ${text}`);
}

/** Describes an execution in one line: workflow, status, and what it was about or the error. */
export function describeExecution(execution: Execution): string {
	const { workflowName, status, error } = execution;
	const workflow = `The workflow "${workflowName}"`;
	if (error !== undefined) return `${workflow} failed: ${onOneLine(error)}`;
	const isKnown = status === 'success' || status === 'waiting';
	if (!isKnown) return `${workflow} ended with the status "${status}".`;
	const action = status === 'success' ? 'ran' : 'is waiting';
	const subject = describeItems(getMainItems(execution));
	return subject === '' ? `${workflow} ${action}.` : `${workflow} ${action}: ${subject}`;
}

/**
 * Returns a function that prints finished executions.
 *
 * An execution that a trigger started is printed only if its items, or its failure, differ from
 * those of the previous one. Lines aren't compared, because different events can have the same.
 */
export function createExecutionPrinter(
	print: (line: string) => void,
): (execution: Execution) => void {
	const last = new Map<string, string>();
	return (execution) => {
		if (execution.mode === 'trigger') {
			const { workflowId, status, error } = execution;
			const result = JSON.stringify([status, error, getMainItems(execution)]);
			if (last.get(workflowId) === result) return;
			last.set(workflowId, result);
		}
		print(describeExecution(execution));
	};
}

type Item = Record<string, unknown>;

/**
 * Returns the last items with a title or a message, otherwise the items of the last node.
 *
 * The response of a mail server, for example, says less than the items before it.
 */
function getMainItems({ nodes, lastNode }: Execution): Item[] {
	const main = nodes.findLast(({ items }) => items.some((item) => getHeadline(item) !== undefined));
	return (main ?? nodes.find(({ name }) => name === lastNode))?.items ?? [];
}

function describeItems(items: Item[]): string {
	const shown = items.slice(0, maxShownItems).map(describeItem);
	const hidden = items.length - shown.length;
	const parts = hidden > 0 ? [...shown, `and ${hidden} more`] : shown;
	return parts.filter((part) => part !== '').join(' | ');
}

/** Describes an item by its headline, otherwise by its simple values, such as `id: exch_1`. */
function describeItem(item: Item): string {
	const values = Object.entries(item)
		.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
		.map(([name, value]) => `${name}: ${String(value)}`);
	return getHeadline(item) ?? shorten(onOneLine(values.join(', ')));
}

/** Returns the title of an item, or the first sentence of its message. */
function getHeadline({ title, message }: Item): string | undefined {
	if (typeof title === 'string' && title !== '') return onOneLine(title);
	if (typeof message !== 'string' || message === '') return undefined;
	const [line = ''] = message.split('\n', 1);
	const [sentence = line] = /^.*?[.!?](?=\s|$)/.exec(line) ?? [];
	return shorten(onOneLine(sentence));
}

function onOneLine(text: string): string {
	return text.replaceAll('<br>', ' | ').replace(/\s+/g, ' ');
}

function shorten(text: string): string {
	if (text.length <= maxShownLength) return text;
	const cut = text.slice(0, maxShownLength);
	return `${cut.slice(0, cut.lastIndexOf(' '))} …`;
}
