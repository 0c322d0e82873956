/**
 * Performs a user's actions in the editor (import a workflow file, choose credentials, publish,
 * execute) over n8n's own REST API.
 */
import { vi } from 'vitest';

import type { Execution } from '../../../sandbox/start/n8n/messages.mts';
import {
	readWorkflow,
	type WorkflowFile,
	type WorkflowNode,
} from '../../../sandbox/start/n8n/workflowFiles.mts';
import type { RealN8n } from '../realN8n.mts';

/** A workflow as n8n saves it. */
interface SavedWorkflow {
	id: string;
	versionId: string;
	nodes: WorkflowNode[];
}

/** Credential names by credential type. */
const credentialNames: Record<string, string> = {
	'n8n-nodes-backlink-exchange.backlinkExchange': 'backlinkExchangeApi',
	'n8n-nodes-backlink-exchange.backlinkExchangeTool': 'backlinkExchangeApi',
	'n8n-nodes-backlink-exchange.backlinkExchangeWebhookTrigger': 'backlinkExchangeApi',
	'n8n-nodes-backlink-exchange.backlinkExchangeTrigger': 'backlinkExchangeApi',
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.slackHitlTool': 'slackApi',
	'n8n-nodes-base.emailSend': 'smtp',
	'n8n-nodes-base.emailSendHitlTool': 'smtp',
	'n8n-nodes-base.formTrigger': 'httpBasicAuth',
	'n8n-nodes-base.httpRequest': 'httpHeaderAuth',
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 'openAiApi',
	'@n8n/n8n-nodes-langchain.mcpTrigger': 'httpBearerAuth',
};

export class Editor {
	readonly #n8n: RealN8n;

	#cookie = '';

	readonly #credentials: Record<string, { id: string; name: string }> = {};

	private constructor(n8n: RealN8n) {
		this.#n8n = n8n;
	}

	/** Logs in as the owner of a running n8n. */
	static async open(n8n: RealN8n): Promise<Editor> {
		const editor = new Editor(n8n);
		await editor.logIn();
		return editor;
	}

	/** Logs in again, which is necessary after n8n was killed. */
	async logIn(): Promise<void> {
		const { email, password } = this.#n8n.login;
		const answer = await fetch(`${this.#n8n.origin}/rest/login`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ emailOrLdapLoginId: email, password }),
		});
		const cookies = answer.headers.getSetCookie().map((each) => each.split(';')[0]);
		this.#cookie = cookies.join('; ');
	}

	async addCredential(type: string, data: object): Promise<void> {
		const body = { name: type, type, data };
		const { id } = (await this.request('POST', '/rest/credentials', body)) as { id: string };
		this.#credentials[type] = { id, name: type };
	}

	/** Returns a reference to an added credential, as nodes contain it. */
	credential(type: string): { id: string; name: string } {
		const credential = this.#credentials[type];
		if (credential === undefined) throw new Error(`There is no credential ${type}.`);
		return credential;
	}

	/**
	 * Imports a ready-made workflow and sets the required values: credentials, a Slack channel, email
	 * addresses.
	 *
	 * @param changes further parameters, by the name of the node
	 * @param activate nodes that come deactivated
	 * @param deactivate nodes that come active
	 */
	async importWorkflow(
		name: string,
		changes: Record<string, object> = {},
		{ activate = [], deactivate = [] }: { activate?: string[]; deactivate?: string[] } = {},
	): Promise<Imported> {
		const workflow = readWorkflow(name);
		const missing = [...Object.keys(changes), ...activate, ...deactivate].filter(
			(each) => !workflow.nodes.some((node) => node.name === each),
		);
		if (missing.length > 0) throw new Error(`${name} has no node ${missing.join(', ')}.`);
		const nodes = workflow.nodes.map((node) => ({
			...node,
			...(activate.includes(node.name) && { disabled: false }),
			...(deactivate.includes(node.name) && { disabled: true }),
			parameters: { ...filledIn(node), ...changes[node.name] },
		}));
		return await this.create({ ...workflow, nodes });
	}

	/** Creates a workflow, adding missing credentials to the nodes. n8n chooses its ID. */
	async create({ nodes, ...workflow }: Omit<WorkflowFile, 'id'>): Promise<Imported> {
		const saved = await this.request('POST', '/rest/workflows', {
			// n8n 1 requires this field.
			active: false,
			...workflow,
			id: undefined,
			nodes: nodes.map((node) => ({
				webhookId: crypto.randomUUID(),
				credentials: this.credentialsFor(node),
				...node,
			})),
		});
		return new Imported(this, this.#n8n, saved as SavedWorkflow);
	}

	/** Creates a data table. A column without a type is one of strings. */
	async createTable(
		name: string,
		columns: Array<string | { name: string; type: string }>,
	): Promise<{ id: string }> {
		return (await this.request('POST', await this.#tablesPath(), {
			name,
			columns: columns.map((column) =>
				typeof column === 'string' ? { name: column, type: 'string' } : column,
			),
		})) as { id: string };
	}

	/** Adds rows to a data table. */
	async addRows(tableId: string, data: object[]): Promise<void> {
		const path = `${await this.#tablesPath()}/${tableId}/insert`;
		await this.request('POST', path, { data, returnType: 'count' });
	}

	/** Deletes all rows of a data table. */
	async deleteRows(tableId: string): Promise<void> {
		const isAnyRow = { columnName: 'id', condition: 'gt', value: 0 };
		const filter = JSON.stringify({ type: 'and', filters: [isAnyRow] });
		const path = `${await this.#tablesPath()}/${tableId}/rows`;
		await this.request('DELETE', `${path}?filter=${encodeURIComponent(filter)}`);
	}

	async #tablesPath(): Promise<string> {
		const project = (await this.request('GET', '/rest/projects/personal')) as { id: string };
		return `/rest/projects/${project.id}/data-tables`;
	}

	async request(method: string, path: string, body?: object): Promise<unknown> {
		const answer = await fetch(`${this.#n8n.origin}${path}`, {
			method,
			headers: { 'content-type': 'application/json', cookie: this.#cookie, 'push-ref': 'e2e' },
			...(body && { body: JSON.stringify(body) }),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
		return (JSON.parse(text) as { data: unknown }).data;
	}

	/** Starts a saved workflow from this trigger, as the button in the editor does. */
	async run(workflowId: string, triggerToStartFrom: object): Promise<unknown> {
		const body = { triggerToStartFrom };
		return await this.request('POST', `/rest/workflows/${workflowId}/run`, body);
	}

	/** Returns the added credential that a node needs. */
	credentialsFor({ type }: WorkflowNode): Record<string, { id: string; name: string }> {
		const credential = credentialNames[type];
		const chosen = credential && this.#credentials[credential];
		return chosen ? { [credential]: chosen } : {};
	}
}

/** n8n's response when an execution has started. */
interface StartedExecution {
	executionId: string;
	/** Token with which a chat can resume a waiting execution. */
	resumeToken?: string;
}

/** A workflow in n8n. */
export class Imported {
	readonly #editor: Editor;

	readonly #n8n: RealN8n;

	readonly #workflow: SavedWorkflow;

	constructor(editor: Editor, n8n: RealN8n, workflow: SavedWorkflow) {
		this.#editor = editor;
		this.#n8n = n8n;
		this.#workflow = workflow;
	}

	get id(): string {
		return this.#workflow.id;
	}

	/** Fetches the saved workflow. */
	async read(): Promise<WorkflowFile> {
		const saved = await this.#editor.request('GET', `/rest/workflows/${this.id}`);
		return saved as WorkflowFile;
	}

	/** Saves the workflow with these nodes and connections. */
	async change(
		workflow: Pick<WorkflowFile, 'nodes' | 'connections'> & { settings?: object },
	): Promise<void> {
		const path = `/rest/workflows/${this.id}?forceSave=true`;
		await this.#editor.request('PATCH', path, workflow);
	}

	/** Publishes the saved workflow. n8n rejects this if a parameter or a credential is missing. */
	async publish(): Promise<void> {
		const saved = (await this.#editor.request(
			'GET',
			`/rest/workflows/${this.id}`,
		)) as SavedWorkflow;
		const { versionId } = saved;
		const path = `/rest/workflows/${this.id}`;
		await this.#editor.request('POST', `${path}/activate`, { versionId });
	}

	async unpublish(): Promise<void> {
		await this.#editor.request('POST', `/rest/workflows/${this.id}/deactivate`);
	}

	/** Returns the URL of its form trigger, once it is published. */
	form(): string {
		const trigger = this.#workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
		return `${this.#n8n.origin}/form/${trigger?.webhookId ?? ''}`;
	}

	/** Returns the finished executions, oldest first. */
	executions(): Execution[] {
		return this.#n8n.executions.filter(({ workflowId }) => workflowId === this.id);
	}

	/**
	 * Executes the workflow from this trigger, as the button in the editor does, and waits for the
	 * end.
	 */
	async execute(trigger: string): Promise<Execution> {
		return await this.#run({ name: trigger });
	}

	/** Starts the workflow from this trigger. */
	async start(trigger: string): Promise<void> {
		await this.#editor.run(this.id, { name: trigger });
	}

	/** Messages in the editor's chat, oldest first. */
	readonly answers: string[] = [];

	/**
	 * Sends a message in the editor's chat, and waits until the workflow has responded or waits for a
	 * human.
	 */
	async chat(trigger: string, chatInput: string): Promise<Execution> {
		const json = { sessionId: 'the chat of this test', action: 'sendMessage', chatInput };
		const times = { startTime: Date.now(), executionTime: 0, executionIndex: 0 };
		const before = this.executions().length;
		const started = await this.#editor.run(this.id, {
			name: trigger,
			data: { ...times, source: [], data: { main: [[{ json }]] } },
		});
		this.#listen(json.sessionId, started as StartedExecution);
		// n8n ends an execution at each message to the chat, and continues in another one once the chat
		// shows it.
		for (let index = before; ; index++) {
			const execution = await this.finished(index);
			const isAnswer = execution.nodes.some(({ name }) => name === 'Answer');
			if (execution.status !== 'waiting' || !isAnswer) return execution;
		}
	}

	/** Keeps the chat open until the execution is over, as the editor does. */
	#listen(sessionId: string, { executionId, resumeToken }: StartedExecution): void {
		const query = { sessionId, executionId, ...(resumeToken && { token: resumeToken }) };
		const address = this.#n8n.origin.replace('http', 'ws');
		const socket = new WebSocket(`${address}/chat?${new URLSearchParams(query).toString()}`);
		socket.addEventListener('message', ({ data }) => {
			if (data === 'n8n|heartbeat') socket.send('n8n|heartbeat-ack');
			else if (!String(data).startsWith('n8n|')) this.answers.push(String(data));
		});
	}

	async #run(triggerToStartFrom: object): Promise<Execution> {
		const before = this.executions().length;
		await this.#editor.run(this.id, triggerToStartFrom);
		return await this.finished(before);
	}

	/** Retries each failed execution, as the button in the list of executions does. */
	async retryFailed(): Promise<void> {
		for (const { id } of this.executions().filter(({ status }) => status === 'error')) {
			await this.#editor.request('POST', `/rest/executions/${id}/retry`, { loadWorkflow: false });
		}
	}

	/** Status of the last execution, or `undefined`. */
	get status(): string | undefined {
		return this.executions().at(-1)?.status;
	}

	/**
	 * Waits for an execution.
	 *
	 * @param index its number, counted from 0
	 */
	async finished(index: number): Promise<Execution> {
		return await vi.waitFor(
			() => {
				const execution = this.executions()[index];
				if (execution === undefined) throw new Error('The execution has not finished.');
				return execution;
			},
			{ timeout: 60_000 },
		);
	}
}

/** Returns the output of a node in an execution; empty if the node didn't run. */
export function output(execution: Execution, node: string): Array<Record<string, unknown>> {
	return execution.nodes.find(({ name }) => name === node)?.items ?? [];
}

/** The Slack channel and the email addresses of messages. */
const channel = 'C0LINKS';
const addresses = { fromEmail: 'n8n@example.com', toEmail: 'me@example.com' };

/** Fills in what the file leaves empty. Other values come from a table. */
function filledIn({ parameters }: WorkflowNode): Record<string, unknown> {
	if (isEmptyChannel(parameters.channelId)) {
		return { ...parameters, channelId: { __rl: true, mode: 'id', value: channel } };
	}
	if (!('toEmail' in parameters)) return parameters;
	const toEmail = parameters.toEmail === '' ? addresses.toEmail : parameters.toEmail;
	return { ...parameters, ...addresses, toEmail };
}

function isEmptyChannel(channelId: unknown): boolean {
	return (channelId as { value?: unknown } | undefined)?.value === '';
}
