/**
 * Simulates n8n's webhook server: it reads the body as n8n does, calls the trigger with the real
 * WebhookContext, and responds.
 *
 * Only the end-to-end tests show what n8n itself rejects, such as malformed JSON.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeParameters,
	INodeType,
	IWebhookData,
	IWebhookFunctions,
	IWebhookResponseData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { listen } from '../../fixtures.mts';
import { TestCredentials } from '../credentials.mts';
import {
	additionalDataFor,
	createWorkflow,
	credentialType,
	newNode,
	nodeTypes,
	webhookType,
} from '../engine.mts';
import { n8nCore } from '../n8n.mts';

type Webhook = INodeType & { webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> };

const plainParameters = {
	events: ['exchange.accepted', 'exchange.published', 'exchange.requested', 'watchdog.alert'],
	filters: {},
	options: {},
};

/** The trigger in an active workflow, until the test ends. */
export class WebhookServer {
	url = '';

	/** The items of each started execution. */
	readonly executions: IDataObject[][] = [];

	/** Errors of webhook(); n8n would record a failed execution for each. */
	readonly failures: unknown[] = [];

	/** Messages of the trigger in n8n's log. */
	readonly logged: string[] = [];

	/** `manual` while n8n listens for a test event in the editor. */
	mode: WorkflowExecuteMode = 'webhook';

	/** May change while the workflow is active, and so may the parameters. */
	readonly credentials: TestCredentials;

	parameters: INodeParameters;

	timeZone = 'UTC';

	/** Called before an execution is started; may throw, as n8n does when its database is down. */
	beforeExecution: () => Promise<void> = () => Promise.resolve();

	private constructor(credential: ICredentialDataDecryptedObject, parameters: INodeParameters) {
		this.credentials = new TestCredentials(credentialType, credential);
		this.parameters = { ...plainParameters, ...parameters };
	}

	static async start(
		credential: ICredentialDataDecryptedObject,
		parameters: INodeParameters,
	): Promise<WebhookServer> {
		const state = new WebhookServer(credential, parameters);
		const port = await listen(
			createServer((request, response) => {
				void handle(state, request, response);
			}),
		);
		state.url = `http://127.0.0.1:${port}/webhook/${crypto.randomUUID()}/webhook`;
		return state;
	}
}

/** Activates the workflow; rejects if the trigger does. */
export async function activate(
	credential: ICredentialDataDecryptedObject,
	parameters: INodeParameters = {},
): Promise<boolean> {
	const { workflow, node } = newWorkflow({ ...plainParameters, ...parameters }, 'activation');
	const credentials = new TestCredentials(credentialType, credential);
	const context = new n8nCore.HookContext(
		workflow,
		node,
		additionalDataFor(credentials),
		'trigger',
		'activate',
	);
	const type = nodeTypes().getByNameAndVersion(webhookType, 2);
	return (await type.webhookMethods?.default?.create.call(context)) ?? false;
}

async function handle(
	state: WebhookServer,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const expressResponse = Object.assign(response, {
		status(code: number) {
			response.statusCode = code;
			return expressResponse;
		},
		json(body: unknown) {
			response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
		},
	});
	let body: Promise<Buffer> | undefined;
	const expressRequest = Object.assign(request, {
		rawBody: undefined as Buffer | undefined,
		readRawBody: async () => {
			body ??= buffer(request);
			expressRequest.rawBody = await body;
		},
		originalUrl: request.url,
		body: {},
		params: {},
		query: {},
	});
	// Like n8n's body parser.
	if (request.headers['content-type']?.startsWith('multipart/') !== true) {
		await expressRequest.readRawBody();
	}
	try {
		const result = await callTrigger(state, expressRequest, expressResponse);
		if (result.noWebhookResponse === true) return;
		if (result.workflowData !== undefined) {
			await state.beforeExecution();
			state.executions.push(result.workflowData[0]?.map(({ json }) => json) ?? []);
		}
		expressResponse.json(result.webhookResponse);
	} catch (error) {
		state.failures.push(error);
		if (response.headersSent) {
			// Too late for a response: n8n closes the connection.
			if (!response.writableFinished) response.destroy();
			return;
		}
		expressResponse.status(500).json({ message: 'Workflow could not be started!' });
	}
}

function newWorkflow(
	parameters: INodeParameters,
	id: string,
	timeZone?: string,
): ReturnType<typeof createWorkflow> {
	const node = newNode('Trigger', webhookType, parameters);
	return createWorkflow({ ...node, webhookId: 'abc' }, { id, timeZone });
}

async function callTrigger(
	state: WebhookServer,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<IWebhookResponseData> {
	const { workflow, node } = newWorkflow(state.parameters, state.url, state.timeZone);
	const type = workflow.nodeTypes.getByNameAndVersion(webhookType, 2) as Webhook;
	const webhookDescription = type.description.webhooks?.find(
		({ httpMethod }) => httpMethod === request.method,
	);
	const additionalData = Object.assign(additionalDataFor(state.credentials), {
		httpRequest: request,
		httpResponse: response,
	});
	const context = new n8nCore.WebhookContext(
		workflow,
		node,
		additionalData,
		state.mode,
		{
			node: node.name,
			path: '',
			workflowId: 'test',
			webhookDescription,
		} as unknown as IWebhookData,
		[],
		null,
	);
	const warn = (message: string) => state.logged.push(message);
	Object.defineProperty(context, 'logger', { value: { warn } });
	return await type.webhook.call(context);
}
