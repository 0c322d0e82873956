import type { Execution } from './n8n/messages.mts';

/** How much is shown of what an execution produced, so that it stays on one line. */
const shownCharacters = 100;

/** Prints a line with the time and whose doing it is. */
export function say(who: string, text: string): void {
	const time = new Date().toLocaleTimeString('en-GB');
	console.log(`${time}  ${who.padEnd(8)} ${text}`);
}

/** A finished execution in one line: workflow, status, and what its last node produced, or why it failed. */
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
 * Prints executions as they finish. The same result of a schedule, again and again, is printed once; what events
 * start is printed each time.
 */
export function executionPrinter(print: (line: string) => void): (execution: Execution) => void {
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
	if (line.length <= shownCharacters) return line;
	const cut = line.slice(0, shownCharacters);
	return `${cut.slice(0, cut.lastIndexOf(' '))} …`;
}

/** The message of an item, which is a sentence for people or a list of them; otherwise its simple values, such as `id: exch_1, outcome: accepted`. */
function describeItem(item: Record<string, unknown>): string {
	if (typeof item.message === 'string') {
		return item.message.replace(/^- /, '').replaceAll('\n- ', ' | ');
	}
	return Object.entries(item)
		.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
		.map(([name, value]) => `${name}: ${String(value)}`)
		.join(', ');
}
