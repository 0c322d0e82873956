import type { Execution } from './n8n/messages.mts';

/** Keeps an execution on one line. */
const maxShownLength = 100;

/** Prints a line with the time and its source. */
export function printLine(source: string, text: string): void {
	const time = new Date().toLocaleTimeString('en-GB');
	console.log(`${time}  ${source.padEnd(8)} ${text}`);
}

/**
 * Describes a finished execution in one line: workflow, status, and the output of its last node or
 * the error.
 */
export function describeExecution(execution: Execution): string {
	const { workflowName, status, error, nodes, lastNode } = execution;
	const start = `"${workflowName}" ${status === 'waiting' ? 'waits' : `finished: ${status}`}`;
	if (error !== undefined) return `${start}: ${onOneLine(error)}`;
	const last = nodes.find(({ name }) => name === lastNode);
	if (last === undefined) return start;
	const verb = last.isDeactivated ? ' is deactivated and would have had' : ':';
	const count = last.items.length === 1 ? '1 item' : `${last.items.length} items`;
	const shown = shorten(last.items.map(describeItem).join(' | '));
	return `${start}; ${last.name}${verb} ${count}${shown && ` (“${shown}”)`}`;
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
