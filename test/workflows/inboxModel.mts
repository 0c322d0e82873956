/**
 * The event inbox without n8n: the texts of the workflow's own expressions and code run on a table in memory, one database
 * request at a time, so that any order of the requests of several executions can be tried, and a kill at any of them.
 */
import { compileFunction } from 'node:vm';

import { readWorkflow, type WorkflowNode } from '../../playground/n8n/workflowFiles.mts';
import { settingsOf } from './settings.mts';

export interface Row {
	id: number;
	eventKey: string;
	event: string;
	about: string;
	source: string;
	data: string;
	state: string;
	tries: number;
	due: string;
	execution: string | null;
	handedTo: string | null;
	note: string | null;
	receivedAt: string;
	forgetAt: string | null;
	/** Other executions see a row only once it is committed; with PostgreSQL a lower id can come later. */
	isCommitted: boolean;
}

export interface TriggerItem {
	event: string;
	eventKey: string;
	data: Record<string, unknown>;
	source: 'webhook' | 'poll';
	/** By polling: the time of the look, which is the same when it is given out again. */
	givenOutAt?: string;
}

type Json = Record<string, unknown>;

const workflow = readWorkflow('event-inbox');
/** Columns whose conditions n8n refuses if the value is none; the execution fails. */
const dates: ReadonlySet<string> = new Set(['due', 'receivedAt', 'forgetAt']);

/** As far as the workflow uses it. */
class Moment {
	readonly milliseconds: number;
	constructor(milliseconds: number) {
		this.milliseconds = milliseconds;
	}
	plus({ seconds = 0, minutes = 0, days = 0 }): Moment {
		return new Moment(this.milliseconds + seconds * 1000 + minutes * 60_000 + days * 86_400_000);
	}
	toISO(): string {
		return new Date(this.milliseconds).toISOString();
	}
}

/** What the nodes of one execution have put out, by their names. */
type Outputs = Map<string, Json[]>;

const functions = new Map<string, (...values: unknown[]) => unknown>();

interface Condition {
	keyName: string;
	/** Left out where n8n knows no other than "equal". */
	condition?: string;
	keyValue: unknown;
}

export interface Settings {
	[name: string]: unknown;
}

function nodeOf(name: string): WorkflowNode {
	const node = workflow.nodes.find((each) => each.name === name);
	if (node === undefined) throw new Error(`the workflow has no node "${name}"`);
	return node;
}

/** Runs a text of the workflow with n8n's names. */
function run(
	code: string,
	outputs: Outputs,
	execution: string,
	now: number,
	json: Json,
	itemIndex = 0,
): unknown {
	const $ = (name: string) => {
		const items = (outputs.get(name) ?? []).map((each) => ({ json: each }));
		return {
			isExecuted: outputs.has(name),
			all: () => items,
			first: () => items[0] ?? { json: {} },
			item: items[0] ?? { json: {} },
		};
	};
	class TestDate extends Date {
		constructor(value?: string | number) {
			super(value ?? now);
		}
	}
	const scope = {
		$,
		$json: json,
		$itemIndex: itemIndex,
		$now: new Moment(now),
		$execution: { id: execution },
		$workflow: { id: 'inbox' },
		Date: TestDate,
	};
	let compiled = functions.get(code);
	if (compiled === undefined) {
		compiled = compileFunction(code, Object.keys(scope)) as (...values: unknown[]) => unknown;
		functions.set(code, compiled);
	}
	return compiled(...Object.values(scope));
}

function evaluate(text: unknown, ...context: [Outputs, string, number, Json, number?]): unknown {
	if (typeof text !== 'string' || !text.startsWith('=')) return text;
	const expression = /^=\{\{([\s\S]*)\}\}$/.exec(text)?.[1];
	if (expression === undefined) throw new Error(`not one expression: ${text}`);
	return run(`return (${expression})`, ...context);
}

function matches(own: Row[keyof Row], condition: string, value: unknown): boolean {
	if (condition === 'eq') return own === (value ?? null);
	if (condition === 'neq') return own !== value;
	if (condition === 'gte') return own !== null && Number(own) >= Number(value);
	if (condition === 'lte') return own !== null && String(own) <= String(value);
	throw new Error(`the model does not know the condition ${condition}`);
}

export class InboxModel {
	readonly rows: Row[] = [];

	/** What the called workflows were given, and whether they worked on it to the end. */
	readonly handedOn: Array<{ eventKey: string; row: number; workflow: string; isDone: boolean }> =
		[];

	/** What was reported as failed. */
	readonly told: string[] = [];

	/** Decides whether a called workflow fails. */
	fails: (eventKey: string, workflow: string) => boolean = () => false;

	now = Date.UTC(2026, 6, 1);

	settings: Settings;

	#executions = 0;

	constructor(settings: Settings = {}) {
		this.settings = { ...settingsOf('event-inbox'), ...settings };
	}

	/**
	 * An execution that a trigger starts. Each `next` does one request to the database, or calls a workflow; if it is not
	 * called any more, the execution was killed.
	 */
	*receive(items: TriggerItem[]): Generator<string, void> {
		const execution = String(++this.#executions);
		const rows: Json[] = [];
		const open: Outputs[] = [];
		for (const item of items) {
			const outputs: Outputs = new Map([['Settings', [{ ...this.settings, ...item }]]]);
			if (this.#select('Not written yet', outputs, execution).length === 0) open.push(outputs);
			yield 'looked for';
		}
		for (const outputs of open) {
			const { value } = nodeOf('Write down').parameters.columns as { value: Json };
			const row = {
				...{ execution: null, handedTo: null, note: null, forgetAt: null, isCommitted: false },
				...Object.fromEntries(
					Object.entries(value).map(([name, text]) => [
						name,
						evaluate(text, outputs, execution, this.now, {}, rows.length),
					]),
				),
				id: this.rows.length + 1,
			} as Row;
			this.rows.push(row);
			yield 'insert';
			row.isCommitted = true;
			rows.push({ ...row });
			yield 'committed';
		}
		if (rows.length > 0) yield* this.#work(execution, new Map([['Write down', rows]]));
	}

	/** An execution that the clock starts. */
	*tick(): Generator<string, void> {
		const execution = String(++this.#executions);
		const outputs: Outputs = new Map([['Settings', [this.settings]]]);
		const forgotten = this.#select('Forget old', outputs, execution);
		for (const row of forgotten) this.rows.splice(this.rows.indexOf(row), 1);
		yield 'forget';
		const due = this.#select('Due again', outputs, execution, 'any').map((row) => ({ ...row }));
		yield 'due';
		yield* this.#work(execution, new Map([['Due again', due]]));
		for (const { eventKey } of this.#update('Report once', outputs, execution, {})) {
			this.told.push(String(eventKey));
		}
	}

	*#work(execution: string, entry: Outputs): Generator<string, void> {
		const outputs: Outputs = new Map([['Settings', [this.settings]], ...entry]);
		const items = run(
			String(nodeOf('Check settings').parameters.jsCode),
			outputs,
			execution,
			this.now,
			{},
		) as Array<{ json: Json }>;
		for (const { json: item } of items) {
			outputs.set('One by one', [item]);
			outputs.set('Claim', this.#update('Claim', outputs, execution, {}));
			yield 'claimed';
			const same = this.#select('Same events', outputs, execution).map((row) => ({ ...row }));
			outputs.set('Same events', same);
			yield 'looked';
			const code = String(nodeOf('Decide').parameters.jsCode);
			const [decided] = run(code, outputs, execution, this.now, {}) as Array<{ json: Json }>;
			const json = decided?.json ?? {};
			outputs.set('Decide', [json]);
			let result = json;
			if ((json.inbox as { decision: string }).decision === 'hand on') {
				const { eventKey } = json as { eventKey: string };
				const workflow = String(item.workflow);
				const isDone = !this.fails(eventKey, workflow);
				this.handedOn.push({ eventKey, row: Number(item.id), workflow, isDone });
				result = isDone ? { fine: true } : { error: 'it failed' };
				yield 'handed on';
			}
			this.#update('Cross off', outputs, execution, result);
			yield 'crossed off';
		}
	}

	#select(node: string, outputs: Outputs, execution: string, mode = 'all'): Row[] {
		const { parameters } = nodeOf(node);
		const { conditions } = parameters.filters as { conditions: Condition[] };
		const resolve = (text: unknown) => evaluate(text, outputs, execution, this.now, {});
		const tests = conditions.map(({ keyName, condition = 'eq', keyValue }) => {
			const column = resolve(keyName) as keyof Row;
			const value = resolve(keyValue);
			if (value === undefined && dates.has(column)) throw new Error(`${column} is no date`);
			return (row: Row) => matches(row[column], condition, value);
		});
		const found = this.rows.filter(
			(row) =>
				row.isCommitted &&
				(mode === 'any' ? tests.some((test) => test(row)) : tests.every((test) => test(row))),
		);
		if (parameters.orderBy !== true) return found;
		// Rows that are equal stay in the order of their ids, as with n8n.
		const column = resolve(parameters.orderByColumn) as keyof Row;
		const sign = parameters.orderByDirection === 'DESC' ? -1 : 1;
		const compare = (one: Row, other: Row) =>
			sign * ((one[column] ?? '') < (other[column] ?? '') ? -1 : 1);
		return found
			.sort((one, other) => (one[column] === other[column] ? 0 : compare(one, other)))
			.slice(0, Number(parameters.limit));
	}

	#update(node: string, outputs: Outputs, execution: string, json: Json): Json[] {
		const { value } = nodeOf(node).parameters.columns as { value: Json };
		const rows = this.#select(node, outputs, execution);
		for (const row of rows) {
			const change = Object.entries(value).map(([name, text]) => [
				name,
				evaluate(text, outputs, execution, this.now, json) ?? null,
			]);
			Object.assign(row, Object.fromEntries(change));
		}
		return rows.map((row) => ({ ...row }));
	}
}
