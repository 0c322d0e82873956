import type { Execution } from './n8n/messages.mts';

/** Keeps an execution on one line. */
const maxShownLength = 100;

/** Prints a line with the time and its source. */
export function printLine(source: string, text: string): void {
	const time = new Date().toLocaleTimeString('en-GB');
	console.log(`${time}  ${source.padEnd(8)} ${text}`);
}

/**
 * Describes an execution in one line: workflow, status, and the output of its last node or the
 * error.
 */
export function describeExecution(execution: Execution): string {
	const { workflowName, status, error, nodes, lastNode } = execution;
	const workflow = `The workflow "${workflowName}"`;
	if (error !== undefined) return `${workflow} failed: ${onOneLine(error)}`;
	if (status === 'waiting') return `${workflow} is waiting.`;
	if (status !== 'success') return `${workflow} ended with the status "${status}".`;
	const last = nodes.find(({ name }) => name === lastNode);
	if (last === undefined) return `${workflow} succeeded.`;
	const count = last.items.length === 1 ? '1 item' : `${last.items.length} items`;
	const text = shorten(last.items.map(describeItem).join(' | '));
	const items = text === '' ? `${count}.` : `${count}: ${text}`;
	return last.isDeactivated
		? `${workflow} succeeded, but its last node, "${last.name}", is deactivated and didn't process ${items}`
		: `${workflow} succeeded, and its last node, "${last.name}", returned ${items}`;
}

/**
 * Returns a function that prints finished executions.
 *
 * A scheduled execution is printed only if its line differs from that of the previous one.
 */
export function createExecutionPrinter(
	print: (line: string) => void,
): (execution: Execution) => void {
	const last = new Map<string, string>();
	return (execution) => {
		const line = describeExecution(execution);
		const scheduled = execution.mode === 'trigger';
		if (scheduled && last.get(execution.workflowId) === line) return;
		last.set(execution.workflowId, line);
		print(line);
	};
}

function onOneLine(text: string): string {
	return text.replaceAll('<br>', ' | ').replace(/\s+/g, ' ');
}

function shorten(text: string): string {
	const line = onOneLine(text);
	if (line.length <= maxShownLength) return line;
	const cut = line.slice(0, maxShownLength);
	return `${cut.slice(0, cut.lastIndexOf(' '))} …`;
}

/**
 * Describes an item by its `message`, otherwise by its simple values, such as `id: exch_1, outcome:
 * accepted`.
 */
function describeItem(item: Record<string, unknown>): string {
	if (typeof item.message === 'string') {
		return item.message.replace(/^- /, '').replaceAll('\n- ', ' | ');
	}
	return Object.entries(item)
		.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
		.map(([name, value]) => `${name}: ${String(value)}`)
		.join(', ');
}
