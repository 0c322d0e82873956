import type { Execution } from './n8n/messages.mts';

const shownItems = 3;
const shownCharacters = 120;

/** Prints a line with the time and whose doing it is. */
export function say(who: string, text: string): void {
	const time = new Date().toLocaleTimeString('en-GB');
	console.log(`${time}  ${who.padEnd(8)} ${text}`);
}

/**
 * A finished execution in one line: workflow, status, how many items came out of each node, and those of the last one.
 */
export function describeExecution(execution: Execution): string {
	const { workflowName, status, error, nodes, lastNode } = execution;
	const start = `"${workflowName}" finished: ${status}`;
	if (error !== undefined) return `${start}: ${error}`;
	const counts = nodes.map(({ name, items }) => `${name} ${items.length}`).join(' → ');
	const result = nodes.find(({ name }) => name === lastNode)?.items ?? [];
	if (result.length === 0) return `${start}; ${counts}`;
	const shown = result.slice(0, shownItems).map(describeItem).join(' | ');
	return `${start}; ${counts} (${shown}${result.length > shownItems ? ' | …' : ''})`;
}

/**
 * Tells of executions as they finish. A schedule that comes to the same result again and again is told once; what
 * events start is told each time.
 */
export function executionTeller(tell: (line: string) => void): (execution: Execution) => void {
	const last = new Map<string, string>();
	return (execution) => {
		const line = describeExecution(execution);
		const scheduled = execution.mode === 'trigger';
		if (scheduled && last.get(execution.workflowId) === line) return;
		last.set(execution.workflowId, line);
		tell(line);
	};
}

function shorten(text: string): string {
	const line = text.replace(/\s+/g, ' ');
	return line.length > shownCharacters ? `${line.slice(0, shownCharacters - 1)}…` : line;
}

/** The simple values of an item, such as `id: exch_1, outcome: accepted`; nested ones are left to the editor. */
function describeItem(item: Record<string, unknown>): string {
	return Object.entries(item)
		.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
		.map(([name, value]) => `${name}: ${shorten(String(value))}`)
		.join(', ');
}
